import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  createOptOuts,
  type OptOutChange,
  type OptOuts,
  type Reader,
} from '../../../main/capabilities/opt-outs/index.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createLedger, type Ledger } from '../../../main/kernel/ledger.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const accountId = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
const instanceId = '0197f0c2-0000-7c51-9d2b-000000000002' as InstanceId
const other = '0197f0c2-0000-7c51-9d2b-000000000003' as InstanceId
const PERSON = '5511981234567'

let db: Db
let ledger: Ledger
let optOuts: OptOuts
let read: Reader
let changes: OptOutChange[]
beforeEach(async () => {
  const clock = fakeClock()
  const data = await testDatabase(undefined, { clock })
  onTestFinished(() => data.close())
  db = data.db
  read = { all: db.read, one: db.readOne }
  ledger = createLedger({ clock, ids: createIds(clock, seededRandom(1)) })
  changes = []
  optOuts = createOptOuts({
    db,
    clock,
    ledger,
    live: { publish() {} },
    instances: { subscribe() {}, owned: async () => undefined },
  })
  optOuts.onOptOut(async (_tx, change) => void changes.push(change))
})

const optOut = (phone: string, scope: InstanceId | null = null) =>
  db.commit((tx) => optOuts.record(tx, { accountId, phone, instanceId: scope, source: 'crm', note: null }))

test('a person who turned off marketing messages at Meta is opted out of that number', async () => {
  for (const providerCode of [131_049, 131_050, 131_050]) {
    const error = { code: 'marketing_limit', message: '', provider_code: providerCode }
    const data = { message_id: `msg_${providerCode}`, to: PERSON, chat: PERSON, error }
    await db.commit((tx) => ledger.append(tx, { accountId, instanceId, type: 'message.failed', instance: {}, data }))
  }
  expect(await optOuts.ofNumber(accountId, PERSON)).toMatchObject([
    { scope: instanceId, source: 'meta', messageId: 'msg_131050', messageInstance: instanceId },
  ])
  expect(changes).toMatchObject([{ phone: PERSON, instanceId, source: 'meta' }])
})

test('many numbers are looked up in one call, in any spelling, for the given instances', async () => {
  await optOut(PERSON)
  await optOut('12025550101', instanceId)
  const many = Array.from({ length: 500 }, (_, i) => String(13_025_550_100 + i))
  const phones = [...many, '551181234567', '12025550101', '12025550102']
  const found = async (...ids: string[]) => [...(await optOuts.optedOutOf(read, accountId, ids, phones))]
  expect(await found(instanceId)).toEqual(['551181234567', '12025550101'])
  expect(await found(other)).toEqual(['551181234567'])
  expect(await found(other, instanceId)).toEqual(['551181234567', '12025550101'])
  expect(await found()).toEqual(['551181234567'])
  expect(await optOuts.isOptedOut(read, accountId, other, '12025550101')).toBe(false)
  const inCommit = await db.commit((tx) => optOuts.isOptedOut(tx, accountId, instanceId, '12025550101'))
  expect(inCommit).toBe(true)
  expect(await optOuts.optedOutOf(read, other as unknown as AccountId, [instanceId], phones)).toEqual(new Set())
})

test('an opt-out is rolled back if one of its listeners fails', async () => {
  optOuts.onOptOut(() => Promise.reject(new Error('no')))
  await expect(optOut(PERSON)).rejects.toThrow('no')
  expect(await optOuts.ofNumber(accountId, PERSON)).toEqual([])
})

test('a repeated opt-out notifies no listener', async () => {
  await optOut(PERSON)
  expect((await optOut('551181234567')).isNew).toBe(false)
  expect(changes).toHaveLength(1)
})
