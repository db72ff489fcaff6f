import type { AccountId } from '../../kernel/ids.ts'
import { createOutbound, systemResolve } from '../../kernel/outbound.ts'
import type { World } from '../world.ts'
import { warning, ok, type Finding } from './finding.ts'

const TIMEOUT_MS = 5_000
const SKEW_WARN_MS = 60_000

/** One question to where messages go, whatever it answers: whether names, connections and certificates work, and the time there. */
export async function checkNetwork({ clock, config, resolve = systemResolve, dial }: World): Promise<Finding> {
  if (config.graphBaseUrl === 'sandbox') return ok('network', 'Nothing outside is needed: Meta is simulated here.')
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
      // Nothing inside is asked, so nobody's name is needed.
      from: { accountId: '' as AccountId },
    })
    if (answer.kind === 'failure')
      return warning(
        'network',
        `${host} cannot be reached (${answer.code}). Check the network connection of this computer.`,
      )
    const aheadMs = (askedAtMs + clock.now()) / 2 - Date.parse(answer.headers['date'] ?? '')
    if (Math.abs(aheadMs) <= SKEW_WARN_MS || Number.isNaN(aheadMs)) return ok('network', `${host} answers.`)
    const way = aheadMs > 0 ? 'ahead of' : 'behind'
    return warning(
      'network',
      `${host} answers, and this clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${way} its. Set it.`,
    )
  } finally {
    await outbound.close()
  }
}
