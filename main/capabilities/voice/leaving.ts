import type { EndReason } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { InstanceListener } from '../instances/index.ts'
import { endWaiting, rehomeCalls } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { expireOfInstance, filesOfInstance, RECORDING_FILE, rehomeRecordings } from './recording-store.ts'
import type { Running } from './running.ts'
import { rehomeSetup, rehomeWidgets, removeSetup, removeTrunk, removeWidgets, saveSettings } from './setup-store.ts'
import { readSetup } from './setup.ts'

interface LeavingDeps extends Pick<VoiceDeps, 'clock' | 'files' | 'live' | 'process'> {
  readonly running: Pick<Running, 'all'>
}

/** Handles calls when their instance is deleted or moves to another account. */
export function createLeaving({ clock, files, live, process, running }: LeavingDeps): InstanceListener {
  async function deleted(tx: Tx, instanceId: InstanceId): Promise<void> {
    await tx.run(expireOfInstance, { instanceId })
    for (const statement of [removeSetup, removeWidgets]) await tx.run(statement, { instanceId })
  }

  /**
   * Calls, recordings and widgets move with the instance. The trunk, voice package and email addresses belong to the
   * old account.
   */
  async function transferred(tx: Tx, instanceId: InstanceId, to: AccountId): Promise<void> {
    const { settings } = await readSetup(tx, instanceId)
    const kept = JSON.stringify({ ...settings, summary_emails: [] })
    await tx.run(saveSettings, { instanceId, settings: kept, now: clock.now() })
    for (const { accountId, fileId: id } of await tx.all(filesOfInstance, { instanceId }))
      await files.rehome(tx, { accountId, kind: RECORDING_FILE, id }, to)
    for (const statement of [rehomeSetup, rehomeCalls, rehomeRecordings, rehomeWidgets])
      await tx.run(statement, { instanceId, accountId: to })
  }

  /** Before the rows change owner: unregisters the trunk, stops dialing, and hangs up running calls. */
  async function stop(tx: Tx, instanceId: InstanceId, reason: EndReason, keepsTrunk: boolean): Promise<void> {
    await tx.run(endWaiting, { instanceId, reason, now: clock.now() })
    if (!keepsTrunk) await tx.run(removeTrunk, { instanceId })
    tx.afterCommit(() => {
      if (!keepsTrunk) process.register(instanceId, null)
      for (const one of running.all()) if (one.call.instanceId === instanceId) one.hangUp(reason)
    })
  }

  return async (tx, change) => {
    const { id } = change
    if (change.kind === 'deleted') {
      await stop(tx, id, 'instance_deleted', false)
      await deleted(tx, id)
    }
    if (change.kind === 'not_returned') await tx.run(removeTrunk, { instanceId: id })
    if (change.kind === 'transferred') {
      await stop(tx, id, 'instance_transferred', change.isRepeated)
      await transferred(tx, id, change.to)
      tx.afterCommit(() => {
        for (const accountId of [change.from, change.to]) live.publish(accountId, { topic: 'voice' })
      })
    }
  }
}
