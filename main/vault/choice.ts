import type { Config } from '../config.ts'
import type { Db } from '../kernel/db.ts'
import type { Random } from '../kernel/ids.ts'
import { HOME_FACTS, insertMeta, readMeta } from '../kernel/meta.ts'
import { createFileVault } from './file.ts'
import { VaultError, VaultTimeout, VaultUnavailable, type Vault } from './vault.ts'

export interface ChoiceDeps {
  readonly config: Pick<Config, 'home' | 'vault' | 'vaultPassphrase'>
  readonly db: Db
  readonly random: Random
  readonly keychain: Vault
  /** A person can answer the keychain's prompt. */
  readonly isInteractive?: boolean | undefined
  /** Replaces keychain and file; overrides the settings. */
  readonly vault?: Vault | undefined
}

const KIND = HOME_FACTS.vaultKind

/**
 * The vault of this home. A new home uses the vault in the settings, otherwise the keychain if it works, otherwise a
 * file, with a notice. The choice is recorded and permanent.
 */
export async function chooseVault(deps: ChoiceDeps): Promise<{ vault: Vault; notice: string | null }> {
  const { config, db } = deps
  const chosen = await readMeta(db, KIND)
  if (chosen === undefined) {
    const { vault, notice } = await firstChoice(deps)
    await db.commit((tx) => insertMeta(tx, KIND, vault.kind))
    return { vault, notice }
  }
  if (deps.vault) return { vault: deps.vault, notice: null }
  if (config.vault && config.vault !== chosen) {
    throw new VaultError(
      `This home keeps its master key in the ${chosen === 'file' ? 'file vault' : chosen}, but the setting vault is ` +
        `${config.vault}. An existing home can't change its vault: remove the setting.`,
    )
  }
  return { vault: chosen === 'file' ? fileVault(deps) : deps.keychain, notice: null }
}

async function firstChoice(deps: ChoiceDeps): Promise<{ vault: Vault; notice: string | null }> {
  const { config } = deps
  if (deps.vault) return { vault: deps.vault, notice: null }
  if (config.vault === 'file') return { vault: fileVault(deps), notice: null }
  const wanted = deps.keychain
  if (config.vault === 'keychain') return { vault: wanted, notice: null }
  try {
    await wanted.probe()
    return { vault: wanted, notice: null }
  } catch (error) {
    if (!(error instanceof VaultUnavailable)) throw error
    // If nobody can answer, a timeout counts as a refusal; otherwise the prompt is still open, and its answer
    // decides.
    if (error instanceof VaultTimeout && deps.isInteractive) throw undecided(error)
    const vault = fileVault(deps)
    return {
      vault,
      notice: `No working keychain found. The master key is stored in ${vault.path}. ${error.message}`,
    }
  }
}

const undecided = ({ message }: VaultTimeout) =>
  new VaultTimeout(`${message} To use a file instead, set vault to file and restart.`)

const fileVault = ({ config, random }: ChoiceDeps) =>
  createFileVault({ home: config.home, passphrase: config.vaultPassphrase, random })
