import { USER_ID } from '../../contract/addresses.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { putIdentity, type Contact, type IdentityRow } from './store.ts'

export interface Identity {
  readonly kind: 'phone' | IdentityRow['kind']
  readonly value: string
}

const IS_USER_ID = new RegExp(`^${USER_ID}$`)

const kindOf = (name: string): 'bsuid' | 'lid' => (IS_USER_ID.test(name) ? 'bsuid' : 'lid')

/** Adds a hidden id to a contact. It may be the contact's only name. */
export async function noteHiddenName(tx: Tx, accountId: AccountId, seq: number, name: string): Promise<void> {
  await tx.run(putIdentity, { accountId, seq, kind: kindOf(name), value: name })
}

/** All names of a contact, its number first. */
export function identitiesOf({ phone }: Pick<Contact, 'phone'>, rows: readonly Identity[]): Identity[] {
  const others = rows.map(({ kind, value }) => ({ kind, value }))
  const isHidden = IS_USER_ID.test(phone) || others.some(({ value }) => value === phone)
  if (!isHidden) return [{ kind: 'phone', value: phone }, ...others]
  return others.some(({ value }) => value === phone) ? others : [{ kind: kindOf(phone), value: phone }, ...others]
}
