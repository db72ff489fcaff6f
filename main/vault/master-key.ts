import { createHmac } from 'node:crypto'
import type { Db } from '../kernel/db.ts'
import type { Random } from '../kernel/ids.ts'
import { HOME_FACTS, insertMeta, readMeta } from '../kernel/meta.ts'
import { Secret } from '../kernel/secret.ts'
import { VaultError, VaultUnavailable, type Vault } from './vault.ts'

/** A check value for the key. The key is 256 random bits, so its hash does not reveal it. */
const CHECK = HOME_FACTS.keyCheck
const LENGTH = 32

/**
 * The master key of this home, created if there never was one. The database knows this from a check value that is
 * written after the key. A missing entry in the vault proves nothing: a locked keychain reports the same, and a new
 * key would make every secret unreadable.
 * @throws VaultUnavailable (keychain) or VaultError (file) when the right key is not available.
 */
export async function masterKey({ db, random, vault }: { db: Db; random: Random; vault: Vault }): Promise<Buffer> {
  const entry = `master-key:${await homeId(db, random)}`
  const check = await readMeta(db, CHECK)
  const stored = await vault.read(entry)
  if (check === undefined) {
    // A key without check value was created by a process that ended between the two writes; nothing is sealed with it
    // yet.
    const key = stored ? decode(stored) : await makeKey(vault, entry, random)
    await db.commit((tx) => insertMeta(tx, CHECK, checkOf(key)))
    return key
  }
  if (!stored) throw fault(vault, "does not contain this home's master key")
  const key = decode(stored)
  if (checkOf(key) !== check) throw fault(vault, 'contains a different master key than this home uses')
  return key
}

/** Distinguishes homes that share a keychain. */
async function homeId(db: Db, random: Random): Promise<string> {
  const known = await readMeta(db, HOME_FACTS.id)
  return known ?? db.commit((tx) => insertMeta(tx, HOME_FACTS.id, random.bytes(8).toString('hex')))
}

async function makeKey(vault: Vault, entry: string, random: Random): Promise<Buffer> {
  const key = random.bytes(LENGTH)
  await vault.write(entry, new Secret(key.toString('base64')))
  const back = await vault.read(entry)
  if (!back || !decode(back).equals(key)) throw new VaultUnavailable('The vault did not store the master key.')
  return key
}

const decode = (secret: Secret) => Buffer.from(secret.open(), 'base64')

const checkOf = (key: Buffer) => createHmac('sha256', key).update('switchboard master key').digest('hex')

/** A keychain may return the key once unlocked; a file will not change. */
function fault({ kind }: Vault, what: string): Error {
  return kind === 'file'
    ? new VaultError(
        `The file vault ${what}. Restore vault.json, and vault.key if there was one, next to the database.`,
      )
    : new VaultUnavailable(`The keychain ${what}. It may be locked.`)
}
