import { join } from 'node:path'
import type { Random } from '../kernel/ids.ts'
import { Secret } from '../kernel/secret.ts'
import { readOrNull, writeDurably } from '../kernel/durable-file.ts'
import { decrypt, encrypt, KEY_LENGTH, parseVaultFile, stretch, type Lock, type Secrets } from './file-form.ts'
import { VaultError, type Vault } from './vault.ts'

interface Opened {
  readonly lock: Lock
  readonly key: Buffer
  readonly secrets: Secrets
}

/** scrypt's N with r = 8 and p = 1: 128 MiB and about half a second, once per start. */
const COST = 2 ** 17

/** Without the file's key, no secret in the database can be read. */
const RESTORE = 'Put a copy of it in its place, and start again.'

/**
 * A vault in two files of the home folder, readable only by their owner: `vault.json`, encrypted, and `vault.key`, a
 * random key, which is absent if a passphrase is used. Without a passphrase it protects a copied database or backup,
 * but not a fully readable home folder.
 */
export function createFileVault(deps: {
  home: string
  passphrase: Secret | null
  random: Random
  /** scrypt's N for a new vault. */
  cost?: number
}): Vault & { readonly path: string } {
  const { home, passphrase, random, cost = COST } = deps
  const path = join(home, 'vault.json')
  const keyPath = join(home, 'vault.key')
  let opened: Promise<Opened> | undefined
  let writing: Promise<void> = Promise.resolve()

  const open = async (): Promise<Opened> => {
    const text = await readOrNull(path)
    if (text === null) return create()
    const file = parseVaultFile(text)
    if (!file) throw new VaultError(`${path} is not a vault file that this version of Switchboard can read. ${RESTORE}`)
    const key = await keyFor(file.lock)
    const secrets = decrypt(key, file)
    if (secrets) return { lock: file.lock, key, secrets }
    const what = passphrase ? 'SWITCHBOARD_VAULT_PASSPHRASE is not its passphrase' : `${keyPath} is not its key`
    throw new VaultError(`Can't decrypt ${path}: ${what}, or the file was modified.`)
  }

  const create = async (): Promise<Opened> => {
    const secrets = new Map<string, string>()
    if (passphrase) {
      const lock: Lock = { by: 'passphrase', salt: random.bytes(16).toString('base64'), cost }
      return { lock, key: await stretch(passphrase, lock), secrets }
    }
    const isNew = (await readOrNull(keyPath)) === null
    if (isNew) await writeDurably(keyPath, `${random.bytes(KEY_LENGTH).toString('base64')}\n`)
    return { lock: { by: 'key_file' }, key: await keyFor({ by: 'key_file' }), secrets }
  }

  const keyFor = async (lock: Lock): Promise<Buffer> => {
    if (lock.by === 'passphrase') {
      if (passphrase) return stretch(passphrase, lock)
      throw new VaultError(`${path} needs a passphrase. Set SWITCHBOARD_VAULT_PASSPHRASE.`)
    }
    if (passphrase) {
      throw new VaultError(
        `${path} was created without a passphrase, and one can't be added later. Unset SWITCHBOARD_VAULT_PASSPHRASE.`,
      )
    }
    const text = await readOrNull(keyPath)
    if (text === null) {
      throw new VaultError(
        `${keyPath} is missing, so ${path} can't be decrypted. If you moved the home folder, move that file too.`,
      )
    }
    const key = Buffer.from(text, 'base64')
    if (key.length !== KEY_LENGTH)
      throw new VaultError(`${keyPath} is damaged: it must contain 32 bytes as base64. ${RESTORE}`)
    return key
  }

  const load = () => (opened ??= open())

  /** One change at a time, because each writes the whole file. */
  const change = (edit: (secrets: Map<string, string>) => void): Promise<void> => {
    const turn = writing.then(async () => {
      const before = await load()
      const secrets = new Map(before.secrets)
      edit(secrets)
      await writeDurably(path, encrypt(before.key, before.lock, secrets, random))
      opened = Promise.resolve({ ...before, secrets })
    })
    writing = turn.catch(() => {})
    return turn
  }

  return {
    kind: 'file',
    path,
    async read(name) {
      const found = (await load()).secrets.get(name)
      return found === undefined ? null : new Secret(found)
    },
    write: (name, secret) => change((secrets) => secrets.set(name, secret.open())),
    remove: (name) => change((secrets) => secrets.delete(name)),
    async probe() {
      await load()
    },
  }
}
