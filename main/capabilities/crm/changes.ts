import type { BackfillState, CrmSync, FieldMapping } from '../../contract/crm.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Backfill } from './backfill.ts'
import { holdAllWritten } from './inbox-store.ts'
import { sendQueueOf, type CrmLink, type Links } from './links.ts'
import { holdOfLink, holdStatuses, PAUSED } from './outbox-store.ts'

interface ChangesDeps {
  readonly db: Db
  readonly links: Links
  readonly backfill: Backfill
  readonly wakePush: (tx: Tx, queue: string) => Promise<void>
  readonly wakeSend: (tx: Tx, queue: string) => Promise<void>
  readonly resume: (tx: Tx, queue: string) => Promise<void>
}

export interface LinkPatch {
  readonly sync?: Partial<CrmSync> | undefined
  readonly paused?: boolean | undefined
  readonly fieldMap?: readonly FieldMapping[] | undefined
  readonly backfill?: Exclude<BackfillState, 'done'> | undefined
}

/** Changes a connection. Pausing holds waiting and new items; nothing is lost. */
export function createChanges({ db, links, backfill, wakePush, wakeSend, resume }: ChangesDeps) {
  async function pause(tx: Tx, link: CrmLink, isPaused: boolean): Promise<void> {
    const { seq: linkSeq, queue } = link
    const turn = isPaused ? { from: 0, to: PAUSED } : { from: PAUSED, to: 0 }
    await tx.run(holdOfLink, { linkSeq, priority: 0, ...turn })
    await tx.run(holdStatuses, { linkSeq, ...turn })
    await tx.run(holdAllWritten, { linkSeq, ...turn })
    const staysHeld = !isPaused && (await backfill.isPaused(tx, linkSeq))
    if (!staysHeld) await tx.run(holdOfLink, { linkSeq, priority: 1, ...turn })
    if (isPaused) return
    await wakePush(tx, queue)
    await wakeSend(tx, sendQueueOf(link))
  }

  /** @throws ApiError invalid_state without a connection */
  return async (instanceId: string, kind: CrmLink['kind'], patch: LinkPatch): Promise<void> => {
    if (Object.values(patch).every((value) => value === undefined)) return
    await db.commit(async (tx) => {
      const link = await links.find(instanceId, kind, tx)
      if (link === undefined) throw notConnected(kind)
      const { sync, paused, fieldMap } = patch
      const next = await links.change(tx, link, {
        ...(sync !== undefined && { sync: { ...link.sync, ...sync } }),
        ...(paused !== undefined && { paused: paused ? 1 : 0 }),
        ...(fieldMap !== undefined && { fieldMap }),
        // Changing the connection acknowledges failures of single messages.
        ...(link.state === 'connected' && { errorCode: null, errorMessage: null, errorAtMs: null }),
      })
      if (paused !== undefined && next.paused !== link.paused) await pause(tx, next, paused)
      if (patch.backfill !== undefined) await backfill.change(tx, next, patch.backfill)
      // A receiver that answered 410 is called again.
      const canResume = kind === 'webhook' && link.secretEnc !== null
      if (canResume && paused === false && link.state !== 'connected') await resume(tx, link.queue)
    })
  }
}

export const notConnected = (kind: CrmLink['kind']) =>
  new ApiError(
    'invalid_state',
    kind === 'ghl'
      ? 'This instance is not connected with GoHighLevel. Connect it with POST …/ghl/connect first.'
      : 'This instance has no CRM webhook. Set one with PUT …/crm-webhook first.',
  ).because('crm_not_connected')
