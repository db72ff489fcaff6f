import type { AuthenticationCreds, SignalDataSet, SignalKeyStore } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { EngineInstance } from '../instance.ts'
import type { Library } from './library.ts'
import { hiddenIdIn, LID_MAPPINGS, replacedBy, type Replaced } from './lid-mappings.ts'
import {
  insertInbound,
  keysOf,
  rememberNumber,
  removeKey,
  removePerson,
  saveCreds,
  saveKey,
  sessionOf,
  takeNumber,
} from './store.ts'

/** Of the library's credentials; its next major version has announced another. */
export const FORMAT = 1

/** Name of the inbound journal among the keys: it is written in the same transaction. */
export const INBOUND_JOURNAL = 'heard'

/** Name of the outbound journal among the keys: its values are functions that write it in the same transaction. */
export const OUTBOUND_JOURNAL = 'leaving'

export interface SessionDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly seal: Seal
  readonly log: Log
  /** Called after each commit with something new from the network. */
  readonly onInbound: (instance: EngineInstance) => void
  /** Called after each commit that links a number to a hidden id. */
  readonly onNumberLearned: (instance: EngineInstance, hidden: readonly string[]) => void
}

/** What makes this device the phone's: credentials, and the keys of every conversation. */
export interface Session {
  readonly creds: AuthenticationCreds
  readonly keys: SignalKeyStore
  /** The phone has confirmed the pairing. Nothing is stored before that, because an incomplete pairing is useless. */
  isPaired(): boolean
  /** Stores the credentials as they are at this moment. */
  save(): Promise<void>
  /** Resolves when everything that was to be stored is, or has failed. */
  settled(): Promise<void>
}

export function newSession(library: Library, needs: SessionDeps, instance: EngineInstance): Session {
  return createSession(library, needs, instance, library.initAuthCreds())
}

/** @returns undefined where none is stored. @throws ApiError sealed; SealBroken. */
export async function loadSession(
  library: Library,
  needs: SessionDeps,
  instance: EngineInstance,
): Promise<Session | undefined> {
  const { id } = instance
  const row = await needs.db.readOne(sessionOf, { instanceId: id })
  if (row === undefined) return undefined
  const creds = read(library, needs.seal.openBytes(row.credsSealed, credsOwner(id))) as AuthenticationCreds
  return createSession(library, needs, instance, creds)
}

function createSession(
  library: Library,
  needs: SessionDeps,
  instance: EngineInstance,
  creds: AuthenticationCreds,
): Session {
  const { db, seal, log } = needs
  const { id, accountId } = instance
  let writing: Promise<unknown> = Promise.resolve()
  const isPaired = () => creds.account !== undefined

  /** Sealed at once: the library changes its credentials in place. */
  async function save(): Promise<void> {
    if (!isPaired()) return
    const credsSealed = seal.seal(written(library, creds), credsOwner(id))
    const saving = db.commit((tx) => tx.run(saveCreds, { instanceId: id, accountId, format: FORMAT, credsSealed }))
    writing = Promise.allSettled([writing, saving])
    saving.catch((error: unknown) =>
      log.error({ event: 'smv2.session_not_stored', instanceId: id, cause: cause(error) }),
    )
    await saving
  }

  return {
    creds,
    keys: createKeys(library, needs, instance),
    isPaired,
    save,
    async settled() {
      await writing
    },
  }
}

/**
 * The keys, a row each. One `set` is one commit, and resolves after it: a key that was used up must never come back,
 * whatever happens to this process.
 */
function createKeys(library: Library, needs: SessionDeps, instance: EngineInstance): SignalKeyStore {
  const { db, clock, seal } = needs
  const { id } = instance

  async function get(type: string, ids: readonly string[]): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {}
    const rows = await keysOf.over(ids, { instanceId: id, type }, (...run) => db.read(...run))
    for (const row of rows.flat()) {
      found[row.id] = revived(library, type, seal.openBytes(row.sealed, keyOwner(id, type, row.id)))
    }
    return found
  }

  async function write(tx: Tx, { type, key, sealed, engineId }: Change): Promise<void> {
    if (sealed === null) await tx.run(removeKey, { instanceId: id, type, id: key })
    else if (type === INBOUND_JOURNAL) {
      const row = { seq: await tx.next('smv2'), instanceId: id, digest: key, engineId, sealed, now: clock.now() }
      if ((await tx.run(insertInbound, row)) === 1) tx.afterCommit(() => needs.onInbound(instance))
    } else await tx.run(saveKey, { instanceId: id, type, id: key, sealed })
  }

  async function set(data: SignalDataSet): Promise<void> {
    const { [OUTBOUND_JOURNAL]: leaving = {}, ...ofLibrary } = data as SignalDataSet & Partial<OutboundJournal>
    const changes = changesOf(ofLibrary, (type, key, value) =>
      seal.seal(written(library, value), keyOwner(id, type, key)),
    )
    const mappings = ofLibrary[LID_MAPPINGS]
    const hidden = Object.keys(mappings ?? {}).flatMap((key) => hiddenIdIn(key) ?? [])
    const replaced = mappings && (await replacedBy(keys, mappings))
    await db.commit(async (tx) => {
      for (const change of changes) await write(tx, change)
      if (replaced !== undefined) await replace(tx, replaced)
      for (const store of Object.values(leaving)) await store(tx)
      if (hidden.length > 0) tx.afterCommit(() => needs.onNumberLearned(instance, hidden))
    })
  }

  /** Rooms are told from these rows what the number was before, also after a crash. */
  async function replace(tx: Tx, { keys: gone, renumbered, reassigned }: Replaced): Promise<void> {
    for (const key of gone) await tx.run(removeKey, { instanceId: id, type: LID_MAPPINGS, id: key })
    for (const { hiddenId, before } of renumbered) {
      await tx.run(rememberNumber, { instanceId: id, id: hiddenId, number: before })
      await tx.run(removePerson, { instanceId: id, id: before })
    }
    for (const { number, hiddenId } of reassigned) await tx.run(takeNumber, { instanceId: id, number, id: hiddenId })
  }

  // Which value belongs to which type is the library's own bookkeeping: here they are bytes.
  const keys = { get: get as SignalKeyStore['get'], set }
  return keys
}

/** Messages of ours, by the id the network knows them by. */
interface OutboundJournal {
  readonly [OUTBOUND_JOURNAL]: Readonly<Record<string, (tx: Tx) => Promise<void>>>
}

/** A received message, as far as its row needs it. */
interface Received {
  readonly stanza: { readonly id?: string }
}

/** One key that is written, or removed. */
interface Change {
  readonly type: string
  readonly key: string
  readonly sealed: Buffer | null
  /** Of a received message. */
  readonly engineId: string | null
}

function changesOf(data: SignalDataSet, sealed: (type: string, key: string, value: unknown) => Buffer): Change[] {
  return Object.entries(data).flatMap(([type, values]: [string, Readonly<Record<string, unknown>> | undefined]) =>
    Object.entries(values ?? {}).map(([key, value]) => ({
      type,
      key,
      sealed: value === null || value === undefined ? null : sealed(type, key, value),
      engineId: type === INBOUND_JOURNAL ? ((value as Received).stanza.id ?? null) : null,
    })),
  )
}

export const keyOwner = (id: string, type: string, key: string) => `smv2:${id}:${type}:${key}`
export const credsOwner = (id: string) => `smv2:${id}:creds`

const written = ({ BufferJSON }: Library, value: unknown): Buffer =>
  Buffer.from(JSON.stringify(value, BufferJSON.replacer))

const read = ({ BufferJSON }: Library, bytes: Buffer): unknown => JSON.parse(bytes.toString(), BufferJSON.reviver)

function revived(library: Library, type: string, bytes: Buffer): unknown {
  const value = read(library, bytes)
  if (type !== 'app-state-sync-key') return value
  return library.proto.Message.AppStateSyncKeyData.fromObject(value as object)
}
