import * as library from 'baileys'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineSignal } from '../../../main/engines/engine.ts'
import { createPeople, type People } from '../../../main/engines/smv2/people.ts'
import { createGuardedRepository, createMutex } from '../../../main/engines/smv2/repository.ts'
import { newSession, type Session } from '../../../main/engines/smv2/session.ts'
import { silentLogger } from '../../../main/engines/smv2/wire.ts'
import { createIds } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { fakeClock, settle } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const OLD = '12025550101'
const NEW = '12025550303'
const HERS = '900000000000001'
const OTHERS = '900000000000002'

let data: TestDatabase
let session: Session
let people: People
let told: EngineSignal[]
let areRoomsClosed: boolean
let mappings: ReturnType<typeof repositoryOf>

const clock = fakeClock()
const ids = createIds(clock, seededRandom(1))
const instance = { id: ids.instance(), accountId: ids.account(), engine: 'smv2', network: 'live' } as const

/** The library's own mapping, with the cache it has on a connection. */
function repositoryOf({ creds, keys }: Session) {
  const guard = createGuardedRepository({ library, alone: createMutex(), findDecrypted: async () => undefined })
  const capable = library.addTransactionCapability(keys, silentLogger, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  return guard.make({ creds, keys: capable }, silentLogger).lidMapping
}

beforeEach(async () => {
  data = await testDatabase(undefined, { clock })
  told = []
  areRoomsClosed = false
  const sink = async (_id: unknown, signal: EngineSignal) => {
    if (areRoomsClosed) throw new Error('the storage is full')
    told.push(signal)
  }
  people = createPeople({ db: data.db, clock, sink })
  const seal = createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random: seededRandom(2) })
  const onNumberLearned = (_instance: unknown, hidden: readonly string[]) =>
    void people.numbersLearned(instance, session.keys, hidden).catch(() => {})
  session = newSession(library, { db: data.db, clock, seal, log: silentLog, onInbound() {}, onNumberLearned }, instance)
  mappings = repositoryOf(session)
})
afterEach(() => data.close())

const learn = async (number: string, hiddenId: string) => {
  await mappings.storeLIDPNMappings([{ pn: `${number}@s.whatsapp.net`, lid: `${hiddenId}@lid` }])
  await settle()
}
const numberOf = async (hiddenId: string) => (await mappings.getPNForLID(`${hiddenId}@lid`))?.split(/[:@]/)[0] ?? null
const hiddenIdOf = async (number: string) =>
  (await session.keys.get('lid-mapping', [number]))[number] === undefined
    ? null
    : (await mappings.getLIDForPN(`${number}@s.whatsapp.net`))?.split('@')[0]
const stored = async () => session.keys.get('lid-mapping', [OLD, NEW, `${HERS}_reverse`, `${OTHERS}_reverse`])

test('a person’s new number is reported, and the old number becomes invalid', async () => {
  await learn(OLD, HERS)
  await learn(NEW, HERS)
  expect(await stored()).toEqual({ [NEW]: HERS, [`${HERS}_reverse`]: NEW })
  expect([await numberOf(HERS), await hiddenIdOf(OLD), await hiddenIdOf(NEW)]).toEqual([NEW, null, HERS])
  expect(told).toEqual([{ kind: 'number_changed', before: OLD, after: NEW }])
  expect(await people.nameOf(instance, session.keys, { number: null, hiddenId: HERS })).toBe(NEW)
})

test('a number that was given to another person belongs only to that person', async () => {
  await learn(OLD, HERS)
  await learn(OLD, OTHERS)
  expect(await stored()).toEqual({ [OLD]: OTHERS, [`${OTHERS}_reverse`]: OLD })
  expect([await numberOf(HERS), await numberOf(OTHERS), await hiddenIdOf(OLD)]).toEqual([null, OLD, OTHERS])
  expect(await people.nameOf(instance, session.keys, { number: null, hiddenId: HERS })).toBe(HERS)
})

test('a number that returns to its first owner belongs to that owner again', async () => {
  for (const number of [OLD, NEW, OLD]) await learn(number, HERS)
  expect(await stored()).toEqual({ [OLD]: HERS, [`${HERS}_reverse`]: OLD })
  expect(told.at(-1)).toEqual({ kind: 'number_changed', before: NEW, after: OLD })
})

test('a pair of number and hidden id that is known already changes nothing', async () => {
  await learn(OLD, HERS)
  await learn(OLD, HERS)
  expect(told).toEqual([])
  expect(await stored()).toEqual({ [OLD]: HERS, [`${HERS}_reverse`]: OLD })
})

test('a number change that the rooms refused is reported again with the person’s next message', async () => {
  await learn(OLD, HERS)
  areRoomsClosed = true
  await learn(NEW, HERS)
  areRoomsClosed = false
  await people.nameOf(instance, session.keys, { number: NEW, hiddenId: HERS })
  expect(told).toEqual([{ kind: 'number_changed', before: OLD, after: NEW }])
})
