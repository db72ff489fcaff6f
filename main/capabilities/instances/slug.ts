import { normalizeText } from '../../contract/normalize-text.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { byInstanceName } from './store.ts'

/** Text for addresses and file names: lower-case ASCII letters and digits, in words joined by hyphens. */
export function slugOf(name: string): string {
  const plain = normalizeText(name, 'NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
  // Names in other scripts leave nothing behind.
  return slug || 'instance'
}

/**
 * A slug nobody in the account has or had: what refers to an `instance_name` never meets another instance.
 * Where the name is taken, the instance's own number is appended, so that no search through the takers is needed.
 */
export async function freeInstanceName(tx: Tx, accountId: AccountId, name: string, number: number): Promise<string> {
  const slug = slugOf(name)
  const isTaken = async (instanceName: string) =>
    (await tx.one(byInstanceName, { accountId, instanceName })) !== undefined
  if (!(await isTaken(slug))) return slug
  let candidate = `${slug}-${number}`
  // Only a name that was itself chosen to look like this one is in the way here.
  for (let i = 2; await isTaken(candidate); i++) candidate = `${slug}-${number}-${i}`
  return candidate
}
