import type { ConnectionView, HealthView, InstanceRecord } from '../../contract/instance.ts'
import type { Network } from '../../contract/shapes.ts'
import type { Engine, EngineInstance, Hold, SessionFiles } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { AccountId, Ids, InstanceId, Random } from '../../kernel/ids.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { KeyDerivation } from '../../kernel/key-derivation.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { Log } from '../../kernel/log.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { InstanceSubject } from '../handler.ts'
import { createAnnounce, type Announce } from './announce.ts'
import { createAttention } from './attention.ts'
import { createBanEnds } from './ban-end.ts'
import { createCreate, type Create } from './create.ts'
import { createDisconnect, type Disconnect } from './disconnect.ts'
import { engineOf, type Engines } from './engines.ts'
import { getInstance, notFound } from './find.ts'
import { createListeners, type InstanceListeners } from './listeners.ts'
import { createHealth, type Gauges } from './health.ts'
import { createLifecycle } from './lifecycle.ts'
import type { LinkSignal } from './link-event.ts'
import { createList, type List } from './list.ts'
import { createMoving, type Moving } from './moving.ts'
import { createPasskey, type Passkey } from './passkey.ts'
import { createPasskeyLinks, type PasskeyLinks } from './passkey-links.ts'
import { createQr, type Qr } from './qr.ts'
import { createRecords } from './record.ts'
import { createRecreate, type Recreate } from './recreate.ts'
import { createRemove, type Remove } from './remove.ts'
import { createRestart, type Restart } from './restart.ts'
import { createResumeAll, type ResumeAll } from './resume.ts'
import { createSeenLinks, type LostAccess } from './seen-links.ts'
import { instancesByIds } from './selection.ts'
import { readUpload } from './session-file.ts'
import { createDiscardSession } from './session.ts'
import {
  byId,
  byInstanceName,
  everConnected,
  liveByName,
  subjectById,
  toInstance,
  type Instance,
  type InstanceRow,
} from './store.ts'
import { leftoverSessionsChore } from './leftover-sessions.ts'
import { createKeyedMutex } from './keyed-mutex.ts'
import { tally } from './tally.ts'
import { createRepeatTransfers } from './repeat-transfers.ts'
import { followClock } from './signal-times.ts'
import { createTransfer, type Transfer } from './transfer.ts'
import { createUpdate, type InstancePatch } from './update.ts'
import { createWiping } from './wiping.ts'

export type { CreateCall } from './create.ts'
export type { Engines } from './engines.ts'
export type { Gauges } from './health.ts'
export type { InstanceListener } from './listeners.ts'
export type { Announce } from './announce.ts'
export type { LinkSignal } from './link-event.ts'
export type { PasskeyPage } from './passkey-links.ts'
export { qrPicture } from './qr.ts'

/** What other rooms see of an instance. */
export type KnownInstance = Pick<
  Instance,
  'id' | 'name' | 'instanceName' | 'engine' | 'network' | 'status' | 'phoneNumber'
>

export interface InstancesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'instance' | 'batch'>
  readonly random: Random
  readonly keyDerivation: Pick<KeyDerivation, 'forAccount'>
  readonly ledger: Ledger
  readonly jobs: Jobs
  readonly engines: Engines
  readonly idempotency: Idempotency
  readonly cursors: Cursors
  readonly config: { readonly network: Network; readonly publicBaseUrl: string | null }
  readonly entitlements: { readonly requireSlot: (tx: Tx, accountId: AccountId) => Promise<void> }
  /** What other rooms know of an instance, for its health; asked only when somebody reads it. */
  readonly gauges: Gauges
  readonly log: Log
  /** Address the service listens on, without a slash at its end; used where no public one is set. */
  readonly baseUrl: () => string
  readonly isSuspended: (accountId: AccountId) => boolean
}

export interface Instances {
  readonly create: Create
  readonly list: List
  readonly get: (id: InstanceId) => Promise<InstanceRecord>
  readonly update: (id: InstanceId, patch: InstancePatch) => Promise<InstanceRecord>
  readonly remove: Remove
  readonly transfer: Transfer
  /**
   * In a commit that was prepared for this owner: the instance may have been transferred meanwhile.
   * @throws ApiError not_ready
   */
  readonly requireOwner: (tx: Tx, accountId: AccountId, id: InstanceId) => Promise<void>
  /**
   * In a commit after a wait: the instance may have been transferred or deleted meanwhile.
   * @throws ApiError not_found
   */
  readonly requireInAccount: (tx: Tx, instance: { readonly id: string; readonly accountId: AccountId }) => Promise<void>
  readonly connection: (id: InstanceId) => Promise<ConnectionView>
  readonly health: (id: InstanceId) => Promise<HealthView>
  readonly qr: Qr
  readonly passkey: Passkey
  readonly passkeyLinks: PasskeyLinks
  readonly restart: Restart
  readonly moving: Moving
  /** Reads an upload of `importSession`. @throws ApiError validation_error, rate_limited */
  readonly readSession: (accountId: AccountId, stream: AsyncIterable<Uint8Array>) => Promise<SessionFiles>
  readonly disconnect: Disconnect
  /** Resolves once the decision is durable. The wipe and the new pairing follow in the background. */
  readonly recreate: Recreate

  /**
   * Checks for each request whether its instance exists: one prepared read. Deleted instances are found too, and
   * marked.
   */
  readonly subject: (accountId: string, id: string) => Promise<InstanceSubject | undefined>
  /** An instance of the account that was not deleted. @param read the caller's unit of work, or `{ one: db.readOne }`. */
  readonly find: (read: Pick<Tx, 'one'>, accountId: AccountId, id: string) => Promise<KnownInstance | undefined>
  /** Instances of the account whose UUID, name or instance_name is this; those that were deleted are left out. */
  readonly named: (accountId: AccountId, text: string) => Promise<readonly KnownInstance[]>
  /** For what arrives from outside and names an instance only; undefined if there is none, or it was deleted. */
  readonly owned: (
    id: InstanceId,
    read?: Pick<Tx, 'one'>,
  ) => Promise<{ readonly subject: InstanceSubject; readonly phoneNumber: string | null } | undefined>
  /** Which of the ids are instances of the account that were not deleted. */
  readonly known: (accountId: AccountId, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** How many the account has in each status that occurs. */
  readonly tally: (accountId: AccountId) => ReturnType<typeof tally>
  /** Its lines of the overview. */
  readonly attention: ReturnType<typeof createAttention>
  /** Whether one of the account was ever connected. */
  readonly hasPaired: (accountId: AccountId) => Promise<boolean>
  readonly announce: Announce
  /** In the commit that ends a person's or key's access: ends the onboarding and passkey pages it has seen. */
  readonly endSeenLinks: (tx: Tx, lost: LostAccess) => Promise<void>
  /** Of an instance that was not deleted. */
  readonly accountOf: (id: InstanceId) => Promise<AccountId | undefined>
  /** For rooms whose data of an instance ends with it. Add listeners before the service starts. */
  readonly subscribe: InstanceListeners['subscribe']
  /** Why campaigns and agents may not send from the number now; null: they may. */
  readonly holdOf: (subject: EngineInstance) => Hold | null
  /** @throws ApiError service_unavailable when this build has no engine of the kind. */
  readonly engineFor: (subject: Pick<EngineInstance, 'engine' | 'network'>) => Engine
  /**
   * One commit per signal; resolves when it is durable. What does not fit the state changes nothing.
   * @returns the instance; undefined when there is none.
   */
  readonly onSignal: (id: InstanceId, signal: LinkSignal) => Promise<{ readonly accountId: AccountId } | undefined>
  /** At start, before the service listens and before `Engine.begin`. */
  readonly resumeAll: ResumeAll
  /** After `Engine.begin`: completes recreates that an earlier process left unfinished. */
  readonly start: () => Promise<void>
  readonly chore: Chore
  /** Stops timers. What they waited for is stored and continues at the next start. */
  readonly close: () => void
}

export function createInstances(deps: InstancesDeps): Instances {
  const { db, clock, ids, random, keyDerivation, ledger, engines, idempotency, cursors, config, gauges, log } = deps
  const baseUrl = () => config.publicBaseUrl ?? deps.baseUrl()
  const runExclusive = createKeyedMutex()
  const records = createRecords({ engines, baseUrl })
  const announce = createAnnounce({ ledger, clock })
  const { subscribe, publish } = createListeners()
  const lifecycle = createLifecycle({ db, clock, log, announce, publish })
  const discardSession = createDiscardSession({ db, engines, log })
  const unstarted = new Set<InstanceId>()
  const link = { db, engines, log, lifecycle, discardSession, runExclusive, unstarted }
  const wiping = createWiping({ ...link, clock })
  const restart = createRestart(link)
  const banEnds = createBanEnds({ db, clock, jobs: deps.jobs, restart })
  const qr = createQr(link)
  const passkey = createPasskey(link)
  const passkeyLinks = createPasskeyLinks({ ...deps, passkey, qr })
  const update = createUpdate({ db, clock, announce })
  const seenLinks = createSeenLinks({ engines, passkeyLinks })
  const transfers = createTransfer({
    ...{ ...link, clock, announce, publish, requireSlot: deps.entitlements.requireSlot },
    endLinksOf: seenLinks.endLinksOf,
  })
  const repeatTransfers = createRepeatTransfers({ db, log, lifecycle, publish, transfer: transfers.transfer })
  const resumeAll = createResumeAll({ db, clock, engines, log, lifecycle, discardSession })

  return {
    create: createCreate({
      ...{ db, clock, ids, announce, engines, idempotency, plan: config, baseUrl },
      requireSlot: deps.entitlements.requireSlot,
    }),
    list: createList({ db, cursors, records }),
    get: async (id) => records(await getInstance(db, id)),
    update: async (id, patch) => records(await update(id, patch)),
    remove: createRemove({
      db,
      clock,
      announce,
      discardSession,
      runExclusive,
      publish,
      cancelOutage: lifecycle.cancelOutage,
    }),
    ...transfers,
    async connection(id) {
      const { status, loggedIn, profileName, phoneNumber } = await getInstance(db, id)
      const whom = loggedIn ? { name: profileName, number: phoneNumber } : { name: null, number: null }
      return { connected: status === 'connected', logged_in: loggedIn, ...whom }
    },
    health: createHealth({ db, clock, engines, gauges, log }),
    qr,
    passkey,
    passkeyLinks,
    restart,
    moving: createMoving({ ...link, random, keyDerivation }),
    endSeenLinks: seenLinks.endSeenLinks,
    readSession: (accountId, stream) =>
      readUpload(stream, { random, derive: keyDerivation.forAccount.bind(null, accountId) }),
    disconnect: createDisconnect(link),
    recreate: createRecreate({ db, ids, engines, log, lifecycle, publish, wipe: wiping.begin }),

    async subject(accountId, id) {
      const row = await db.readOne(subjectById, { id, accountId })
      if (!row) return undefined
      const { status, loggedIn, willRetry, deletedAtMs, ...rest } = row
      const deleted = deletedAtMs !== null
      const reconnecting = loggedIn === 1 && (status === 'connecting' || willRetry === 1) && !deleted
      return { ...rest, connected: status === 'connected' && !deleted, reconnecting, deleted }
    },
    async find(read, accountId, id) {
      const row = await read.one(byId, { id })
      return row && row.accountId === accountId && row.deletedAtMs === null ? toInstance(row) : undefined
    },
    async named(accountId, text) {
      const isMine = (row: InstanceRow) => row.accountId === accountId && row.deletedAtMs === null
      const identified = await db.readOne(byId, { id: text })
      if (identified !== undefined && isMine(identified)) return [toInstance(identified)]
      const slug = await db.readOne(byInstanceName, { accountId, instanceName: text })
      const one = slug && (await db.readOne(byId, { id: slug.id }))
      const mine = [...(one ? [one] : []), ...(await db.read(liveByName, { accountId, name: text }))].filter(isMine)
      return [...new Map(mine.map((row) => [row.id, toInstance(row)])).values()]
    },
    async owned(id, read = { one: db.readOne }) {
      const row = await read.one(byId, { id })
      if (row === undefined || row.deletedAtMs !== null) return undefined
      const { accountId, engine, network, phoneNumber } = row
      const connected = row.status === 'connected'
      return { subject: { id, accountId, engine, network, connected, deleted: false }, phoneNumber }
    },
    async requireInAccount(tx, { id, accountId }) {
      const row = await tx.one(byId, { id })
      if (row?.deletedAtMs !== null || row.accountId !== accountId) throw notFound()
    },
    known: knownInstances(db),
    async accountOf(id) {
      const row = await db.readOne(byId, { id })
      return row?.deletedAtMs === null ? row.accountId : undefined
    },
    announce,
    tally: (accountId) => tally(db, accountId),
    attention: createAttention({ db, clock, engines }),
    hasPaired: async (accountId) => (await db.readOne(everConnected, { accountId })) !== undefined,
    subscribe,
    holdOf: (subject) => engines[subject.network][subject.engine]?.evidence(subject).hold ?? null,
    engineFor: (subject) => engineOf(engines, subject),
    onSignal(id, signal) {
      const movedMs = clock.movedMs()
      return db.commit(async (tx) => {
        const now = followClock(signal, clock.movedMs() - movedMs)
        const instance = await lifecycle.apply(tx, id, now)
        if (instance) await banEnds.schedule(tx, instance, now)
        return instance
      })
    },
    async resumeAll() {
      await repeatTransfers()
      await resumeAll()
    },
    start: wiping.resume,
    chore: leftoverSessionsChore({ db, discardSession, runExclusive }),
    close() {
      lifecycle.close()
      wiping.close()
    },
  }
}

/** `Instances.known` for a database that is open without the room: a command that makes a key. */
export function knownInstances(db: Db): Instances['known'] {
  return async (accountId, wanted) => {
    const found = await instancesByIds(db, accountId, wanted)
    return new Set(found.filter(({ deletedAtMs }) => deletedAtMs === null).map(({ id }) => id))
  }
}
