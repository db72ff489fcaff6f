import { StorageError, type Db } from '../../kernel/db.ts'
import { importKeytar } from '../../vault/keychain.ts'
import { openVault, type Asking } from '../../vault/open.ts'
import { messageOf } from '../home.ts'
import { sealedSentence } from '../sealed.ts'
import type { World } from '../world.ts'
import { broken, look, well, type Finding } from './finding.ts'

export interface VaultFacts {
  readonly kind: string
  readonly state: 'open' | 'sealed'
  readonly asking: Asking | null
  readonly problem: string | null
}

export function judgeVault({ kind, state, asking, problem }: VaultFacts): Finding {
  if (state === 'open') return well('vault', `The ${kind} shows the key of this home.`)
  return look('vault', sealedSentence(problem ?? `The ${kind} is locked.`, asking ?? 'repeated'))
}

/** Asks keychain or file for the key of this home, changing nothing. */
export async function lookAtVault(world: World, reading: Pick<Db, 'read' | 'readOne' | 'boot'>): Promise<Finding> {
  const db: Db = {
    ...reading,
    commit: () => Promise.reject(new StorageError('read_only', 'A look changes nothing')),
    async close() {},
  }
  try {
    const vault = await openVault({ ...world, db, importKeytar: world.importKeytar ?? importKeytar })
    vault.close()
    return judgeVault({ kind: vault.kind, state: vault.state(), asking: vault.asking(), problem: vault.problem() })
  } catch (error) {
    if (error instanceof StorageError) return well('vault', 'This home has not chosen one yet; the first start does.')
    return broken('vault', messageOf(error))
  }
}
