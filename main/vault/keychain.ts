import type { Clock } from '../kernel/clock.ts'
import { startTimeout } from '../kernel/timeout.ts'
import type { Random } from '../kernel/ids.ts'
import { withPendingPrompt } from '../kernel/process-exit.ts'
import { Secret } from '../kernel/secret.ts'
import { VaultDismissed, VaultTimeout, VaultUnavailable, type Vault } from './vault.ts'

/**
 * The used part of keytar. `findCredentials` is left out because it crashes the whole process on a locked Linux
 * keyring.
 */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

export type ImportKeytar = () => Promise<Keytar>

/** Loaded on first use, because loading throws if the system library is missing. */
export const importKeytar: ImportKeytar = async () => (await import('keytar')).default

const SERVICE = 'Switchboard'
/** A slower refusal means that a prompt was open: waking the system's service sometimes takes a second. */
const PROMPT_MS = 2_000

/**
 * The system's keychain. Every call has a time limit and runs alone: a call that never returns blocks a pool thread
 * permanently.
 */
export function createKeychain(deps: {
  clock: Clock
  random: Random
  importKeytar: ImportKeytar
  /** Long if a person may have to answer a prompt first. */
  limitMs: number
}): Vault {
  const { clock, random, limitMs } = deps
  let loaded: Keytar | undefined
  let last: Promise<unknown> = Promise.resolve()

  const load = async (): Promise<Keytar> => {
    try {
      return (loaded ??= await deps.importKeytar())
    } catch (error) {
      throw unavailable('The keychain library could not be loaded (on Linux it needs libsecret)', error)
    }
  }

  /** Measures only the call itself, because loading the library at the first call takes time too. */
  const answered = async <T>(act: (keytar: Keytar) => Promise<T>, keytar: Keytar): Promise<T> => {
    const startedMono = clock.mono()
    try {
      return await withPendingPrompt(() => act(keytar))
    } catch (error) {
      throw unavailable('The keychain refused', error, clock.mono() - startedMono >= PROMPT_MS)
    }
  }

  const call = async <T>(act: (keytar: Keytar) => Promise<T>): Promise<T> => {
    let isLate = false
    const { promise: late, reject } = Promise.withResolvers<never>()
    const turn = last.then(async () => {
      if (isLate) throw new VaultUnavailable('The keychain call timed out in the queue.')
      return answered(act, await load())
    })
    last = turn.catch(() => {})
    const limit = startTimeout(clock, limitMs, () => {
      isLate = true
      reject(new VaultTimeout(`The keychain did not answer within ${limitMs / 1_000} s.`))
    })
    try {
      return await Promise.race([turn, late])
    } finally {
      limit.cancel()
    }
  }

  return {
    kind: 'keychain',
    async read(name) {
      const found = await call((keytar) => keytar.getPassword(SERVICE, name))
      return found === null ? null : new Secret(found)
    },
    write: (name, secret) => call((keytar) => keytar.setPassword(SERVICE, name, secret.open())),
    async remove(name) {
      await call((keytar) => keytar.deletePassword(SERVICE, name))
    },
    async probe() {
      const name = `probe:${random.bytes(8).toString('hex')}`
      const value = random.bytes(16).toString('hex')
      await call((keytar) => keytar.setPassword(SERVICE, name, value))
      const found = await call((keytar) => keytar.getPassword(SERVICE, name))
      await call((keytar) => keytar.deletePassword(SERVICE, name))
      if (found !== value) throw new VaultUnavailable('The keychain did not return a stored value. It may be locked.')
    },
  }
}

/** The libraries' texts are shown as detail and never parsed, because they change between versions. */
function unavailable(what: string, error: unknown, isDismissed = false): VaultUnavailable {
  const detail = (error instanceof Error ? error.message : String(error)).replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 200)
  const Refusal = isDismissed ? VaultDismissed : VaultUnavailable
  return new Refusal(`${what}: ${detail.trimEnd().replace(/\.?$/, '.')}`, { cause: error })
}
