import type { Engine, EngineInstance } from '../engine.ts'
import type { LoadLibrary } from './library.ts'
import { readSessionFiles, writeSessionFiles, type StoredKey } from './session-files.ts'
import { credsOwner, FORMAT, keyOwner, loadSession, type SessionDeps } from './session.ts'
import { allKeysPage, saveCreds, saveKey, WIPE } from './store.ts'

interface Deps extends Pick<SessionDeps, 'db' | 'seal'> {
  readonly session: SessionDeps
  readonly loadLibrary: LoadLibrary
}

const KEYS_AT_ONCE = 1_000

/** Sessions in and out, in the files of the library's own store. */
export function createSessionTransfer({ db, seal, session, loadLibrary }: Deps): NonNullable<Engine['sessions']> {
  return {
    async read({ id: instanceId, accountId }, files) {
      const library = await loadLibrary()
      const { creds, keys, number } = readSessionFiles(library, files)
      const text = Buffer.from(JSON.stringify(creds, library.BufferJSON.replacer))
      const credsSealed = seal.seal(text, credsOwner(instanceId))
      const sealed = keys.map(({ type, id, text }) => ({
        ...{ instanceId, type, id },
        sealed: seal.seal(Buffer.from(text), keyOwner(instanceId, type, id)),
      }))
      return {
        number,
        async store(tx) {
          for (const statement of WIPE) await tx.run(statement, { instanceId })
          await tx.run(saveCreds, { instanceId, accountId, format: FORMAT, credsSealed })
          for (const key of sealed) await tx.run(saveKey, key)
        },
      }
    },
    async export(instance) {
      const library = await loadLibrary()
      const stored = await loadSession(library, session, instance)
      if (stored === undefined || !stored.isPaired()) return undefined
      return writeSessionFiles(library, { creds: stored.creds, keys: await keysOf(instance) })
    },
  }

  async function keysOf({ id: instanceId }: EngineInstance): Promise<StoredKey[]> {
    const keys: StoredKey[] = []
    let after = { type: '', id: '' }
    for (;;) {
      const page = await db.read(allKeysPage, { instanceId, ...after, limit: KEYS_AT_ONCE })
      for (const { type, id, sealed } of page) {
        keys.push({ type, id, text: seal.openBytes(sealed, keyOwner(instanceId, type, id)).toString() })
      }
      const last = page.at(-1)
      if (last === undefined || page.length < KEYS_AT_ONCE) return keys
      after = { type: last.type, id: last.id }
    }
  }
}
