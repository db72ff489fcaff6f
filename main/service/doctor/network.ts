import type { AccountId } from '../../kernel/ids.ts'
import { createOutbound, systemResolve } from '../../outbound/outbound.ts'
import type { World } from '../world.ts'
import { warning, ok, type Finding } from './finding.ts'

const TIMEOUT_MS = 5_000
const SKEW_WARN_MS = 60_000

/**
 * One request to the messaging network. Any answer shows that name resolution, connections and certificates work, and
 * what time it is there.
 */
export async function checkNetwork({ clock, config, resolve = systemResolve, dial }: World): Promise<Finding> {
  if (config.graphBaseUrl === 'sandbox') return ok('network', 'No network needed: Meta is simulated on this machine.')
  const outbound = createOutbound({ clock, resolve, dial, trustedRanges: config.trustedRanges })
  const host = new URL(config.graphBaseUrl).host
  try {
    const askedAtMs = clock.now()
    const answer = await outbound.request({
      url: `${config.graphBaseUrl}/`,
      method: 'HEAD',
      headers: {},
      headersTimeoutMs: TIMEOUT_MS,
      connectTimeoutMs: TIMEOUT_MS,
      // The request does not concern an account.
      from: { accountId: '' as AccountId },
    })
    if (answer.kind === 'failure')
      return warning('network', `Can't reach ${host} (${answer.code}). Check this computer's network connection.`)
    const aheadMs = (askedAtMs + clock.now()) / 2 - Date.parse(answer.headers['date'] ?? '')
    if (Math.abs(aheadMs) <= SKEW_WARN_MS || Number.isNaN(aheadMs)) return ok('network', `${host} answers.`)
    const way = aheadMs > 0 ? 'ahead of' : 'behind'
    return warning(
      'network',
      `${host} answers, but this clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${way} its clock. Set this clock.`,
    )
  } finally {
    await outbound.close()
  }
}
