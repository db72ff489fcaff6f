import type { Clock, Timer } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { MasterKey } from '../kernel/seal.ts'
import { chooseVault, type ChoiceDeps } from './choice.ts'
import { createKeychain, type ImportKeytar } from './keychain.ts'
import { masterKey } from './master-key.ts'
import { VaultDismissed, VaultUnavailable, type Vault } from './vault.ts'

type VaultState = 'open' | 'sealed'

/**
 * How a sealed vault will open: a request is running, possibly with a prompt for a person; it is requested every 30
 * s; or only on demand, because a person has dismissed the prompt.
 */
export type PromptState = 'waiting' | 'repeated' | 'on_request'

/** The home's vault with the master key. */
export interface OpenVault extends MasterKey {
  /** Until a new home has chosen, the vault that it tries. */
  readonly kind: Vault['kind']
  state(): VaultState
  /** null while it is open. */
  prompt(): PromptState | null
  /** Why it is sealed, for the person at the machine; null while open. */
  problem(): string | null
  /** A notice about a new home's choice, for a person; null if there is none. */
  readonly notice: string | null
  /** Called when any of these changes. */
  onChange(listener: () => void): void
  /**
   * Requests the key immediately, at the shell's unlock signal or when a person asks for it; resolves with the
   * keychain's answer. Never rejects.
   */
  unlock(): Promise<VaultState>
  close(): void
}

interface VaultDeps extends Omit<ChoiceDeps, 'keychain'> {
  readonly clock: Clock
  readonly log: Log
  readonly importKeytar: ImportKeytar
}

const RETRY_MS = 30_000
const TICK_MS = 1_000
/** A start waits no longer than this for an answer, because a prompt may wait for a person. */
const PROMPT_MS = 1_000
/** Time limits of a call: without a person, and with a possible prompt. */
const LIMIT_MS = 5_000
const INTERACTIVE_LIMIT_MS = 120_000
const WAITING = 'The keychain has not answered yet. It may be asking for a password, possibly behind this window.'

/**
 * Opens the vault of this home. A locked or missing keychain seals the service and is requested again every 30 s; it
 * is never replaced by a file. If a person can answer a prompt, the start does not wait for it: the vault is sealed
 * until then.
 * @throws VaultError when waiting will not help: wrong passphrase, missing files, contradicting setting.
 */
export async function openVault(deps: VaultDeps): Promise<OpenVault> {
  const { clock, log, isInteractive = false } = deps
  const keychain = createKeychain({ ...deps, limitMs: isInteractive ? INTERACTIVE_LIMIT_MS : LIMIT_MS })
  const listeners = new Set<() => void>()
  let chosen: Awaited<ReturnType<typeof chooseVault>> | undefined
  let key: Buffer | null = null
  let problem: string | null = null
  let isProbed = false
  let isDismissed = false
  let askedAtMs = 0
  let underway: Promise<void> | null = null
  let ticking: Timer | null = null
  let published = ''
  let isClosed = false

  const kind = () => chosen?.vault.kind ?? 'keychain'
  const mayPrompt = () => isInteractive && kind() === 'keychain'
  const state = () => (key ? 'open' : 'sealed')
  const prompt = () => {
    if (key) return null
    if (underway && mayPrompt()) return 'waiting'
    return isDismissed ? 'on_request' : 'repeated'
  }
  const problemNow = () => (prompt() === 'waiting' ? WAITING : problem)

  const publish = () => {
    const now = `${String(prompt())} ${String(problemNow())}`
    if (now === published) return
    published = now
    for (const listener of listeners) listener()
  }

  const attempt = async () => {
    try {
      chosen ??= await chooseVault({ ...deps, keychain })
      const { vault } = chosen
      if (!isProbed && !isClosed) await vault.probe()
      isProbed = true
      if (isClosed) return
      key = await masterKey({ ...deps, vault })
      problem = null
      isDismissed = false
      ticking?.cancel()
      log.info({ event: 'vault.open', kind: vault.kind })
    } catch (error) {
      if (!(error instanceof VaultUnavailable)) throw error
      if (isClosed) return
      if (error.message !== problem) log.warn({ event: 'vault.sealed', kind: kind(), problem: error.message })
      problem = error.message
      // Kept until the vault opens: a later, quick refusal says nothing about the prompt.
      isDismissed ||= isInteractive && error instanceof VaultDismissed
    } finally {
      askedAtMs = clock.mono()
    }
  }

  /** Callers that ask at the same time share one attempt. */
  const ask = async () => {
    if (key) return
    underway ??= attempt().finally(() => {
      underway = null
      publish()
    })
    await underway
  }

  /** No caller is waiting for the answer any longer. */
  const unreadable = (error: unknown) => {
    if (isClosed) return
    problem = error instanceof Error ? error.message : String(error)
    log.error({ event: 'vault.unreadable', problem })
    publish()
  }

  const tick = () => {
    publish()
    if (underway || isDismissed || clock.mono() - askedAtMs < RETRY_MS) return
    ask().catch(unreadable)
  }

  const first = ask()
  if (isInteractive) await settledWithin(clock, PROMPT_MS, first)
  if (!mayPrompt()) await first
  first.catch(unreadable)
  if (state() === 'sealed') ticking = clock.every(TICK_MS, tick)
  publish()

  return {
    get kind() {
      return kind()
    },
    get notice() {
      return chosen?.notice ?? null
    },
    state,
    prompt,
    key: () => key,
    problem: problemNow,
    onChange: (listener) => void listeners.add(listener),
    async unlock() {
      await ask().catch(unreadable)
      return state()
    },
    close() {
      isClosed = true
      ticking?.cancel()
    },
  }
}

/** Resolves when it has settled, or when the time is over. Rejects if it rejects in time. */
function settledWithin(clock: Pick<Clock, 'after'>, ms: number, promise: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, resolve)
    promise.then(resolve, reject).finally(() => timer.cancel())
  })
}
