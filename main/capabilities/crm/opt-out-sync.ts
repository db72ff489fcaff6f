import type { Tx } from '../../kernel/db.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { OptOutChange } from '../opt-outs/index.ts'
import type { CrmDeps } from './deps.ts'
import type { CrmLink, Links } from './links.ts'
import { contactOf, dndThere, insertContact, wantDnd } from './outbox-store.ts'

interface SyncDeps extends Pick<CrmDeps, 'optOuts'> {
  readonly links: Links
  readonly wake: (tx: Tx, queue: string) => Promise<void>
}

export type OptOutSync = ReturnType<typeof createOptOutSync>

/**
 * Synchronizes opt-outs with “do not disturb” in a CRM. Only the wanted state is stored, so that an outage leaves one
 * call per person.
 */
export function createOptOutSync({ optOuts, links, wake }: SyncDeps) {
  /** An opt-out was set or lifted here: CRMs that know the person are updated. */
  const tell = async (tx: Tx, { accountId, phone, instanceId }: OptOutChange, isOptedOut: boolean): Promise<void> => {
    const number = personKey(phone)
    const queues = new Set<string>()
    for (const link of await links.ofAccount(accountId, tx)) {
      if (!link.sync.dnd || (instanceId !== null && link.instanceId !== instanceId)) continue
      const { queue } = link
      if (queues.has(queue) || (await tx.one(contactOf, { queue, number })) === undefined) continue
      queues.add(queue)
      const isStill = isOptedOut || (await optOuts.isOptedOut(tx, accountId, link.instanceId, phone))
      await tx.run(wantDnd, { queue, number, dnd: isStill ? 1 : 0 })
      links.notify(tx, accountId)
      await wake(tx, queue)
    }
  }

  optOuts.onOptOut((tx, change) => tell(tx, change, true))
  optOuts.onLifted((tx, change) => tell(tx, change, false))

  return {
    /**
     * “Do not disturb” changed in the CRM. Setting it opts the person out of the whole account. Lifting it lifts only
     * opt-outs that a CRM set; any other opt-out stays, and is set in the CRM again.
     * @param atMs when it was changed there; null: unknown.
     */
    async fromCrm(tx: Tx, link: CrmLink, phone: string, isDnd: boolean, atMs: number | null): Promise<void> {
      const { accountId, queue, instanceId } = link
      const number = personKey(phone)
      await tx.run(insertContact, { queue, number, chat: null, dnd: 0 })
      const known = await tx.one(contactOf, { queue, number })
      if (atMs !== null && atMs < (known?.dndAtMs ?? 0)) return
      if (isDnd) await optOuts.record(tx, { accountId, phone, instanceId: null, source: 'crm', note: null })
      else await optOuts.lift(tx, accountId, phone, ({ source }) => source === 'crm')
      const isOptedOut = await optOuts.isOptedOut(tx, accountId, instanceId, phone)
      const there = { queue, number, dndPushed: isDnd ? 1 : 0, atMs: atMs ?? 0 } as const
      await tx.run(dndThere, { ...there, dnd: isOptedOut ? 1 : 0 })
      if (isOptedOut !== isDnd) await wake(tx, queue)
    },
  }
}
