import type { Random } from '../../kernel/ids.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { OfficialNumber } from './numbers.ts'
import type { CallbackFault, CallbackFaultCode } from './connect-error.ts'

/** Whether Meta could call this service back. */
export type SelfTest =
  | { readonly kind: 'ok' }
  | { readonly kind: 'wrong'; readonly fault: CallbackFault }
  /** There is no address to test. */
  | { readonly kind: 'no_address' }
  /** Not tested: the simulator calls over loopback. */
  | { readonly kind: 'untested' }

const PATIENCE_MS = 5_000

/**
 * Calls our own callback URL from outside, as Meta does when the URL is entered there. It uses `public_base_url`, so
 * that a broken proxy or tunnel is found before Meta finds it.
 */
export function createSelfTest({ outbound, random }: { outbound: Pick<Outbound, 'request'>; random: Random }) {
  return async (number: OfficialNumber, address: string): Promise<SelfTest> => {
    const { protocol, host } = new URL(address)
    if (protocol !== 'https:') return wrong({ code: 'not_https', host, detail: protocol })
    const challenge = random.bytes(12).toString('hex')
    const url = new URL(address)
    url.searchParams.set('hub.mode', 'subscribe')
    url.searchParams.set('hub.verify_token', number.verifyToken().open())
    url.searchParams.set('hub.challenge', challenge)
    const answer = await outbound.request({
      url: url.href,
      method: 'GET',
      headers: {},
      headersTimeoutMs: PATIENCE_MS,
      from: { accountId: number.accountId },
    })
    if (answer.kind === 'failure')
      return wrong({ code: FAULTS[answer.stage] ?? 'unreachable', host, detail: answer.code })
    if (answer.status === 200 && answer.body.toString() === challenge) return { kind: 'ok' }
    return wrong({ code: 'other', host, detail: String(answer.status) })
  }
}

/** Where the call failed. */
const FAULTS: Readonly<Record<string, CallbackFaultCode>> = {
  blocked: 'not_public',
  dns: 'no_name',
  tls: 'certificate',
  timeout: 'silent',
}

const wrong = (fault: CallbackFault): SelfTest => ({ kind: 'wrong', fault })
