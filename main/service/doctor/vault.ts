import { StorageError, type Db } from '../../kernel/db.ts'
import { importKeytar } from '../../vault/keychain.ts'
import { openVault, type PromptState } from '../../vault/open.ts'
import { messageOf } from '../home.ts'
import { sealedMessage } from '../sealed-message.ts'
import type { World } from '../world.ts'
import { broken, warning, ok, type Finding } from './finding.ts'

export interface VaultFacts {
  readonly kind: string
  readonly state: 'open' | 'sealed'
  readonly asking: PromptState | null
  readonly problem: string | null
}

function judgeVault({ kind, state, asking, problem }: VaultFacts): Finding {
  if (state === 'open') return ok('vault', `The ${kind} has this home's master key.`)
  return warning('vault', sealedMessage(problem ?? `The ${kind} is locked.`, asking ?? 'repeated'))
}

interface VaultWorld extends Pick<World, 'clock' | 'random' | 'log' | 'importKeytar' | 'isInteractive'> {
  readonly config: Pick<World['config'], 'home' | 'vault' | 'vaultPassphrase'>
}
type Reading = Pick<Db, 'read' | 'readOne' | 'boot'>

/**
 * A running service keeps the key in memory, so the keychain is checked as well: a missing entry would only show at
 * the next start. A key file needs a passphrase that this command may not have.
 */
export async function checkRunningVault(world: VaultWorld, reading: Reading, running: VaultFacts): Promise<Finding> {
  if (running.state !== 'open' || running.kind !== 'keychain') return judgeVault(running)
  const next = await checkVault(world, reading)
  if (next.state === 'well') return judgeVault(running)
  return warning(
    'vault',
    `The running service has this home's master key, but the keychain did not give it to this command, and the next start needs it. ${next.says} If the service runs as another user or in another session, run this command there. Otherwise unlock the keychain, or put the entry back from a copy of the keychain, before you stop the service.`,
  )
}

/** Reads the key of this home from the keychain or file, without changing anything. */
export async function checkVault(world: VaultWorld, reading: Reading): Promise<Finding> {
  const db: Db = {
    ...reading,
    commit: () => Promise.reject(new StorageError('read_only', 'A look changes nothing')),
    async close() {},
  }
  try {
    const vault = await openVault({ ...world, db, importKeytar: world.importKeytar ?? importKeytar })
    vault.close()
    return judgeVault({ kind: vault.kind, state: vault.state(), asking: vault.prompt(), problem: vault.problem() })
  } catch (error) {
    if (error instanceof StorageError) return ok('vault', 'Not chosen yet. The first start chooses one.')
    return broken('vault', messageOf(error))
  }
}
