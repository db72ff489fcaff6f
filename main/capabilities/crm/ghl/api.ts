import type { CrmLink } from '../links.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { BridgeError } from '../bridge.ts'
import { faultOf } from './faults.ts'
import type { Limiter } from './limiter.ts'
import type { GhlClient, GhlClients } from './client.ts'
import type { Sides } from './sides.ts'
import type { Tokens } from './tokens.ts'

interface ApiDeps {
  readonly clients: GhlClients
  readonly sides: Sides
  readonly tokens: Tokens
  readonly limiter: Limiter
  readonly clock: Pick<Clock, 'uptime'>
}

type CalledLink = Pick<CrmLink, 'accountId' | 'side' | 'locationId' | 'companyId'>

/** Kinds of calls; each kind needs one permission. */
type CallKind = 'contact' | 'conversation' | 'file' | 'message' | 'status'

export interface CallOptions {
  readonly kind: CallKind
  /** The call can be repeated safely, so an unknown outcome counts as not done. */
  readonly isRepeatable: boolean
  /** The fault for an error of this call; undefined: the same as for any call. */
  readonly faultOf?: (error: unknown) => BridgeError | undefined
}

/** A second refusal counts only after this time, so that concurrent calls count once. */
const REFUSED_AGAIN_MS = 5_000
const REFUSED_WAIT_MS = 10_000

export type Api = ReturnType<typeof createApi>

/** Calls GoHighLevel for a location, within its rate limit and with a valid token. */
export function createApi({ clients, sides, tokens, limiter, clock }: ApiDeps) {
  /** Since when (uptime) GoHighLevel has answered every call of a kind with 403. */
  const refusedSince = new Map<string, number>()

  /** The first 403 may concern only this item, so only the item waits. The next one concerns the permission. */
  function judgeRefusal(key: string, fault: BridgeError): BridgeError {
    const now = clock.uptime()
    const since = refusedSince.get(key)
    if (since !== undefined && now - since >= REFUSED_AGAIN_MS) return fault
    if (since === undefined) refusedSince.set(key, now)
    const once = { kind: 'later', waitMs: REFUSED_WAIT_MS, code: 'missing_permission' } as const
    return new BridgeError(once, fault.message, { cause: fault })
  }

  return async function call<T>(
    { accountId, side, locationId, companyId }: CalledLink,
    { kind: callKind, isRepeatable, faultOf: ownFaultOf }: CallOptions,
    act: (client: GhlClient) => Promise<T>,
  ): Promise<T> {
    // Connections of this kind always have a location.
    const location = locationId ?? ''
    const refusalKey = `${location} ${callKind}`
    let token = await tokens.access(location, companyId)
    for (let isFirst = true; ; isFirst = false) {
      limiter.take(location)
      const onHeaders = (headers: Readonly<Record<string, string>>) => limiter.learn(location, headers)
      try {
        const answer = await act(clients.withToken(sides.get(side), accountId, token, onHeaders))
        refusedSince.delete(refusalKey)
        return answer
      } catch (error) {
        const fault = ownFaultOf?.(error) ?? faultOf(error, isRepeatable)
        const { kind, code } = fault.fault
        if (code === 'missing_permission') throw judgeRefusal(refusalKey, fault)
        if (kind === 'wait' && fault.fault.waitMs !== null) limiter.block(location, fault.fault.waitMs)
        if (!(isFirst && kind === 'reconnect' && code === 'reconnect_required')) throw fault
        // The token was revoked or expired early: tries once with a renewed one.
        token = await tokens.renew(location, token)
      }
    }
  }
}
