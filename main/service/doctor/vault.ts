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

export function judgeVault({ kind, state, asking, problem }: VaultFacts): Finding {
  if (state === 'open') return ok('vault', `The ${kind} has this home's master key.`)
  return warning('vault', sealedMessage(problem ?? `The ${kind} is locked.`, asking ?? 'repeated'))
}

/** Asks keychain or file for the key of this home, changing nothing. */
export async function checkVault(world: World, reading: Pick<Db, 'read' | 'readOne' | 'boot'>): Promise<Finding> {
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
