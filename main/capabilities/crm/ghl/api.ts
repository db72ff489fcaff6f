import type { HighLevel } from '@gohighlevel/api-client'
import type { CrmLink } from '../links.ts'
import { faultOf } from './faults.ts'
import type { Limiter } from './limiter.ts'
import type { Sdk } from './sdk.ts'
import type { Sides } from './sides.ts'
import type { Tokens } from './tokens.ts'

interface ApiDeps {
  readonly sdk: Sdk
  readonly sides: Sides
  readonly tokens: Tokens
  readonly limiter: Limiter
}

type CalledLink = Pick<CrmLink, 'accountId' | 'side' | 'locationId' | 'companyId'>

export interface CallOptions {
  /** The call can be repeated safely, so an unknown outcome counts as not done. */
  readonly isRepeatable: boolean
}

export type Api = ReturnType<typeof createApi>

/** Calls GoHighLevel for a location: within its limit, with a token that is valid. */
export function createApi({ sdk, sides, tokens, limiter }: ApiDeps) {
  return async function call<T>(
    { accountId, side, locationId, companyId }: CalledLink,
    { isRepeatable }: CallOptions,
    act: (client: HighLevel) => Promise<T>,
  ): Promise<T> {
    // Links of this kind always have one.
    const location = locationId ?? ''
    let token = await tokens.access(location, companyId)
    for (let isFirst = true; ; isFirst = false) {
      limiter.take(location)
      const onHeaders = (headers: Readonly<Record<string, string>>) => limiter.learn(location, headers)
      try {
        return await act(await sdk.withToken(sides.get(side), accountId, token, onHeaders))
      } catch (error) {
        const fault = faultOf(error, isRepeatable)
        const { kind, code } = fault.fault
        if (kind === 'wait' && fault.fault.waitMs !== null) limiter.block(location, fault.fault.waitMs)
        if (!(isFirst && kind === 'reconnect' && code === 'reconnect_required')) throw fault
        // It was revoked or expired early: a renewed one is tried once.
        token = await tokens.renew(location, token)
      }
    }
  }
}
