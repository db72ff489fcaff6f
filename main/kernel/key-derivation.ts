import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { createFairQueue, type FairQueueLimits } from './fair-queue.ts'
import { stretched } from './scrypt.ts'

/** @param owner takes turns with the others, and has a limited number waiting. @throws ApiError rate_limited */
type Derive = (owner: string, text: string, salt: Uint8Array, cost: number) => Promise<Buffer>

/** Derives keys from passwords and passphrases. */
export interface KeyDerivation {
  /** For somebody who signs in. @param owner the network they come from. */
  readonly forSignIn: Derive
  /** For somebody who is signed in, or a program with a key. @param owner their account. */
  readonly forAccount: Derive
}

interface Waiting {
  readonly run: () => Promise<void>
  readonly refuse: () => void
}

const RETRY_AFTER_SECONDS = 5
const BUSY = `Too many passwords are being checked. Wait ${RETRY_AFTER_SECONDS} s and try again.`

/**
 * Each derivation takes 32 MB and one of the four threads that files and names need too, so there is one at a time for
 * those who sign in, and one for those who are signed in: strangers who sign in without end hold up none of these.
 */
export function createKeyDerivation(): KeyDerivation {
  const { signIns, accounts } = LIMITS.derivationsWaiting
  return { forSignIn: createLane(signIns), forAccount: createLane(accounts) }
}

/** One after another, owners in turn. */
function createLane(limits: FairQueueLimits): Derive {
  const waiting = createFairQueue<Waiting>(limits)
  let isBusy = false

  function next(): void {
    if (isBusy) return
    const turn = waiting.next()
    if (turn === undefined) return
    isBusy = true
    void turn.run().finally(() => {
      isBusy = false
      next()
    })
  }

  return (owner, text, salt, cost) => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const run = () => stretched(text, salt, cost).then(resolve, reject)
    const refuse = () => reject(new ApiError('rate_limited', BUSY, { 'retry-after': String(RETRY_AFTER_SECONDS) }))
    waiting.add(owner, { run, refuse })?.refuse()
    next()
    return promise
  }
}
