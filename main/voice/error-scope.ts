import { AsyncLocalStorage } from 'node:async_hooks'

/** What an error belongs to that a library throws from its own timer or callback: a call, a check, a trunk. */
export interface ErrorScope {
  /** For the log. */
  readonly callId: string | null
  /** Ends what the error belongs to, and nothing else. */
  fail(): void
}

const current = new AsyncLocalStorage<ErrorScope>()

/** Runs it so that errors of timers, sockets and promises it starts belong to the scope. */
export const inErrorScope = <T>(scope: ErrorScope, act: () => T): T => current.run(scope, act)

/** The scope of the code that runs, or of the error that is being reported; undefined: of none. */
export const errorScope = (): ErrorScope | undefined => current.getStore()

/** The same function, which runs in the present scope whoever calls it: a trunk calls back for many calls. */
export const keepErrorScope = <A extends unknown[], R>(act: (...args: A) => R): ((...args: A) => R) =>
  AsyncLocalStorage.bind(act)
