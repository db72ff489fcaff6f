import { isoTime } from '../../contract/request.ts'
import type { NetworkHealth, NetworkProblem } from './network-health.ts'
import type { ClockSkew } from './clock-skew.ts'

const SKEW_WARN_MS = 60_000
/** What receivers that follow our own snippets allow. */
const SKEW_REFUSED_MS = 300_000

const SENTENCES: Readonly<Record<NetworkProblem, string>> = {
  offline:
    'nothing outside this computer can be reached. Webhooks wait and use up no attempt. Check its network connection.',
  intercepted:
    'every receiver shows a certificate that cannot be trusted, as behind the sign-in page of a network. Webhooks wait and ' +
    'use up no attempt. Sign in to the network, or check the date and time of this computer.',
  fake_addresses:
    'every name leads to an address that a VPN or proxy on this computer made up. Webhooks wait and use up no attempt. ' +
    'If that is meant, name 198.18.0.0/15 in egress.trusted_ranges.',
}

/** What a person should know about this machine, because deliveries suffer from it. */
export function describeMachineProblems(
  networkHealth: Pick<NetworkHealth, 'problem'>,
  skew: Pick<ClockSkew, 'medianMs'>,
): string[] {
  const problem = networkHealth.problem()
  const skewed = describeSkew(skew.medianMs() ?? 0)
  return [
    ...(problem ? [`Since ${isoTime(problem.sinceMs)} ${SENTENCES[problem.kind]}`] : []),
    ...(skewed === undefined ? [] : [skewed]),
  ]
}

function describeSkew(ms: number): string | undefined {
  if (Math.abs(ms) <= SKEW_WARN_MS) return undefined
  const off = `The clock of this computer is ${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'ahead of' : 'behind'} others'.`
  const effect = Math.abs(ms) > SKEW_REFUSED_MS ? ' Receivers refuse what it signs.' : ''
  return `${off}${effect} Set it, or let the system keep it.`
}
