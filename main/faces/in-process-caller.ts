import { AsyncLocalStorage } from 'node:async_hooks'
import type { Principal } from '../kernel/access.ts'

/** Who makes an in-process request. Kept outside the request, so no network client can set it. */
export interface InProcessCaller {
  readonly principal: Principal
  /** The outer request already spent a rate limit token (MCP: one per call). */
  readonly prepaid: boolean
  /** Runs every check, but not the operation. */
  readonly isRehearsal?: true
}

const callers = new AsyncLocalStorage<InProcessCaller>()

export const currentCaller = (): InProcessCaller | undefined => callers.getStore()

/** `request` must await inside `run`: an injected request starts only when it is awaited. */
export const callAs = <T>(caller: InProcessCaller, request: () => Promise<T>): Promise<T> =>
  callers.run(caller, request)
