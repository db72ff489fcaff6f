import { ApiError } from '../../contract/errors.ts'
import type { InstanceStatus } from '../../contract/shapes.ts'
import type { Engine, SessionFiles } from '../../engines/engine.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId, Random } from '../../kernel/ids.ts'
import type { KeyDerivation } from '../../kernel/key-derivation.ts'
import type { Log } from '../../kernel/log.ts'
import { callEngine, engineOf, toEngineInstance, type Engines } from './engines.ts'
import { getInstance, notFound, refuseRecreating } from './find.ts'
import type { RunExclusive } from './keyed-mutex.ts'
import type { Lifecycle } from './lifecycle.ts'
import { prepareExport } from './session-file.ts'
import { requireDiscard, type DiscardSession } from './session.ts'
import type { Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly random: Random
  readonly keyDerivation: Pick<KeyDerivation, 'forAccount'>
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
}

export interface Moving {
  /** Takes up a session that was paired elsewhere, and connects with it. @throws ApiError */
  readonly importSession: (id: InstanceId, files: SessionFiles) => Promise<{ status: InstanceStatus; number: string }>
  /** Disconnects the instance, and gives its session encrypted. @throws ApiError */
  readonly exportSession: (id: InstanceId, passphrase: string) => Promise<string>
}

/** A session is on one server only: two that use it disconnect each other, and lose messages. */
export function createMoving(deps: Deps): Moving {
  const { db, random, keyDerivation, engines, log, lifecycle, discardSession, runExclusive } = deps
  return {
    importSession: (id, files) =>
      runExclusive(id, async () => {
        const before = await getInstance(db, id)
        const { engine, sessions } = movable(engines, before)
        refuseRecreating(before)
        if (before.loggedIn) throw alreadyPaired()
        const subject = toEngineInstance(before)
        const { number, store } = await sessions.read(subject, files)
        await requireDiscard(discardSession, before)
        await callEngine(log, subject, () => engine.stop(subject))
        const after = await db.commit(async (tx) => {
          await store(tx)
          return lifecycle.apply(tx, id, { kind: 'start', by: 'restart' })
        })
        if (!after) throw notFound()
        await callEngine(log, subject, () => engine.start(subject))
        return { status: after.status, number }
      }),
    exportSession: (id, passphrase) =>
      runExclusive(id, async () => {
        const before = await getInstance(db, id)
        const { engine, sessions } = movable(engines, before)
        refuseRecreating(before)
        const subject = toEngineInstance(before)
        if (!before.loggedIn) throw notPaired()
        const derive = keyDerivation.forAccount.bind(null, before.accountId)
        const encrypt = await prepareExport(passphrase, { random, derive })
        const after = await db.commit((tx) => lifecycle.apply(tx, id, { kind: 'stop', logout: false, moved: true }))
        if (!after) throw notFound()
        await callEngine(log, subject, () => engine.stop(subject))
        const files = await sessions.export(subject)
        if (files === undefined) throw notPaired()
        return encrypt(files)
      }),
  }
}

function movable(engines: Engines, instance: Instance): { engine: Engine; sessions: NonNullable<Engine['sessions']> } {
  const engine = engineOf(engines, instance)
  if (engine.sessions === undefined)
    throw new ApiError(
      'invalid_state',
      'Only live numbers that are paired with a phone can be moved, and this is not one.',
    ).because('only_live_phones_move')
  return { engine, sessions: engine.sessions }
}

const alreadyPaired = () =>
  new ApiError(
    'invalid_state',
    'This instance already has a phone. Import into a new instance, or log this one out.',
  ).because('has_phone')
const notPaired = () =>
  new ApiError('invalid_state', 'This instance has no phone, so there is nothing to export.').because('has_no_phone')
