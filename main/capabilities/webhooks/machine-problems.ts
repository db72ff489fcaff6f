import { isoTime } from '../../contract/request.ts'
import type { NetworkHealth, NetworkProblem } from './network-health.ts'
import type { ClockSkew } from './clock-skew.ts'

const SKEW_WARN_MS = 60_000
/** The tolerance of our own receiver snippets. */
const SKEW_REFUSED_MS = 300_000

const SENTENCES: Readonly<Record<NetworkProblem, string>> = {
  offline: 'this computer has had no internet connection. Webhooks wait without using up attempts. Check the network.',
  intercepted:
    'every receiver has presented an untrusted certificate, as behind a network sign-in page. Webhooks wait without using up ' +
    'attempts. Sign in to the network, or check the date and time of this computer.',
  fake_addresses:
    'a VPN or proxy on this computer has resolved every host name to a fake address. Webhooks wait without using up ' +
    'attempts. If this is intended, add 198.18.0.0/15 to egress.trusted_ranges.',
}

/** Problems of this machine that affect deliveries, as sentences for people. */
export function describeMachineProblems(
  networkHealth: Pick<NetworkHealth, 'problem'>,
  skew: Pick<ClockSkew, 'medianMs'>,
): string[] {
  const problem = networkHealth.problem()
  const skewed = describeSkew(skew.medianMs() ?? 0)
  return [
    ...(problem ? [`Since ${isoTime(problem.sinceMs)}, ${SENTENCES[problem.kind]}`] : []),
    ...(skewed === undefined ? [] : [skewed]),
  ]
}

function describeSkew(ms: number): string | undefined {
  if (Math.abs(ms) <= SKEW_WARN_MS) return undefined
  const off = `The clock of this computer is ${Math.round(Math.abs(ms) / 1_000)} seconds ${ms > 0 ? 'fast' : 'slow'}.`
  const effect = Math.abs(ms) > SKEW_REFUSED_MS ? ' Receivers reject its signatures.' : ''
  return `${off}${effect} Correct it, or turn on automatic time.`
}
