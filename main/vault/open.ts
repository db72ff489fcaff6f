import type { Timer } from '../kernel/clock.ts'
import type { MasterKey } from '../kernel/seal.ts'
import { chooseVault, type ChoiceNeeds } from './choice.ts'
import { masterKey } from './master-key.ts'
import { VaultUnavailable, type Vault } from './vault.ts'

type VaultState = 'open' | 'sealed'

/** The home's vault with the master key in it. */
export interface OpenVault extends MasterKey {
  readonly kind: Vault['kind']
  state(): VaultState
  /** Why it is sealed, for the person at the machine; null while open. */
  problem(): string | null
  /** What a person should know of the choice a new home made; null when there is nothing to say. */
  readonly notice: string | null
  onChange(listener: (state: VaultState) => void): void
  /** Asks at once: at the shell's unlock signal, or when a person wants it. */
  unlock(): Promise<VaultState>
  close(): void
}

const RETRY_MS = 30_000
const TICK_MS = 1_000
/** A refusal that took longer is taken for a prompt that a person dismissed. */
const PROMPT_MS = 1_000

/**
 * Opens the vault of this home. A keychain that is locked or away seals the service and is asked again every 30 s; it
 * is never replaced by a file.
 * @throws VaultError when waiting will not help: wrong passphrase, missing files, contradicting setting.
 */
export async function openVault(needs: ChoiceNeeds): Promise<OpenVault> {
  const { clock, log, isInteractive = false } = needs
  const { vault, notice } = await chooseVault(needs)
  const listeners = new Set<(state: VaultState) => void>()
  let key: Buffer | null = null
  let problem: string | null = null
  let isProbed = false
  let isDismissed = false
  let askedAtMs = 0
  let underway: Promise<void> | null = null
  let ticking: Timer | null = null

  const attempt = async () => {
    const startedMs = clock.mono()
    try {
      if (!isProbed) await vault.probe()
      isProbed = true
      key = await masterKey({ ...needs, vault })
      problem = null
      ticking?.cancel()
      log.info({ event: 'vault.open', kind: vault.kind })
      for (const tell of listeners) tell('open')
    } catch (error) {
      if (!(error instanceof VaultUnavailable)) throw error
      if (error.message !== problem) log.warn({ event: 'vault.sealed', kind: vault.kind, problem: error.message })
      problem = error.message
      isDismissed = isInteractive && clock.mono() - startedMs > PROMPT_MS
    } finally {
      askedAtMs = clock.mono()
    }
  }

  /** Callers that ask at the same time share one attempt. */
  const ask = async () => {
    if (!key) await (underway ??= attempt().finally(() => (underway = null)))
  }

  const tick = () => {
    if (isDismissed || clock.mono() - askedAtMs < RETRY_MS) return
    ask().catch((error: unknown) => log.error({ event: 'vault.unreadable', problem: String(error) }))
  }

  const state = () => (key ? 'open' : 'sealed')

  await ask()
  if (state() === 'sealed') ticking = clock.every(TICK_MS, tick)

  return {
    kind: vault.kind,
    notice,
    state,
    key: () => key,
    problem: () => problem,
    onChange: (listener) => void listeners.add(listener),
    async unlock() {
      await ask()
      return state()
    },
    close: () => ticking?.cancel(),
  }
}
