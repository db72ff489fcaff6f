import { AsyncLocalStorage } from 'node:async_hooks'
import type { Principal } from '../kernel/access.ts'

/** Who makes an in-process request. It travels beside the request, never in it: no socket can carry it. */
export interface InProcessCaller {
  readonly principal: Principal
  /** The outer request already spent its token (MCP: one token a call). */
  readonly prepaid: boolean
  /** The request is to be checked and not carried out. */
  readonly isRehearsal?: true
}

const callers = new AsyncLocalStorage<InProcessCaller>()

export const currentCaller = (): InProcessCaller | undefined => callers.getStore()

/** The await must happen inside `run`: an injected request starts only when it is awaited. */
export const callAs = <T>(caller: InProcessCaller, request: () => Promise<T>): Promise<T> =>
  callers.run(caller, request)
