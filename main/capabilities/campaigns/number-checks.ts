import { dueIn, type Due } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause } from '../../kernel/log.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { CampaignsDeps } from './deps.ts'
import { pruneChecks, saveCheck, type StoredCampaign } from './store.ts'

export interface NumberChecks {
  /** Whether unknown numbers are checked on the network before a message. */
  canAsk(instanceId: InstanceId): boolean
  /** Checks numbers and stores the network's answer. @returns when the next check is allowed, if it is too early. */
  ask(campaign: StoredCampaign, instanceId: InstanceId, phones: readonly string[]): Promise<Due>
  readonly retention: Chore
}

/** Many checks in a short time get numbers banned. */
const LIVE_GAP_MS = 10_000
/** After a failed check, messages are sent unchecked for this long. */
const SILENT_MS = 600_000
const KEPT_MS = 30 * 24 * 3_600_000
const PRUNED_AT_ONCE = 500

/** Asks a network in small portions which numbers it knows. */
export function createNumberChecks({
  db,
  clock,
  log,
  instances,
}: Pick<CampaignsDeps, 'db' | 'clock' | 'log' | 'instances'>): NumberChecks {
  const askedMono = new Map<InstanceId, number>()
  const silentUntilMono = new Map<InstanceId, number>()

  return {
    canAsk: (instanceId) => (silentUntilMono.get(instanceId) ?? -Infinity) <= clock.mono(),

    async ask({ accountId, network }, instanceId, phones) {
      const sinceMs = clock.mono() - (askedMono.get(instanceId) ?? -Infinity)
      if (network === 'live' && sinceMs < LIVE_GAP_MS) return dueIn(clock, LIVE_GAP_MS - sinceMs)
      askedMono.set(instanceId, clock.mono())
      const giveUp = () => void silentUntilMono.set(instanceId, clock.mono() + SILENT_MS)
      try {
        const instance = await instances.subject(accountId, instanceId)
        if (instance === undefined) return dueIn(clock, 0)
        const check = instances.engineFor(instance).direct?.check
        if (check === undefined) giveUp()
        else await keep(network, await check(instance, phones))
      } catch (error) {
        log.warn({ event: 'campaign.check_failed', instanceId, cause: cause(error) })
        giveUp()
      }
      return dueIn(clock, 0)
    },

    retention: {
      name: 'campaign number checks',
      begin: () => async () => {
        const before = clock.now() - KEPT_MS
        return (await db.commit((tx) => tx.run(pruneChecks, { before, rows: PRUNED_AT_ONCE }))) === PRUNED_AT_ONCE
      },
    },
  }

  async function keep(
    network: string,
    found: readonly { number: string; exists: boolean; canonical: string | null }[],
  ) {
    const now = clock.now()
    await db.commit(async (tx) => {
      for (const { number, exists, canonical } of found)
        await tx.run(saveCheck, { network, phone: number, canonical: exists ? (canonical ?? number) : null, now })
    })
  }
}
