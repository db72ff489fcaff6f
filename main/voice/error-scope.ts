import { AsyncLocalStorage } from 'node:async_hooks'

/** The owner of an error that a library throws from its own timer or callback: a call, a check or a trunk. */
export interface ErrorScope {
  /** For the log. */
  readonly callId: string | null
  /** Ends only this owner. */
  fail(): void
}

const current = new AsyncLocalStorage<ErrorScope>()

/** Runs a function so that errors of its timers, sockets and promises belong to the scope. */
export const inErrorScope = <T>(scope: ErrorScope, act: () => T): T => current.run(scope, act)

/** The scope of the running code, or of the error being reported; undefined: none. */
export const errorScope = (): ErrorScope | undefined => current.getStore()

/** The same function, bound to the current scope, because a trunk calls back for many calls. */
export const keepErrorScope = <A extends unknown[], R>(act: (...args: A) => R): ((...args: A) => R) =>
  AsyncLocalStorage.bind(act)
