import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createOptOuts, type OptOuts } from '../../../main/capabilities/opt-outs/index.ts'
import { openQuestionsOf, openQuestionsPage, oldQuestions } from '../../../main/capabilities/opt-outs/question-store.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createLedger } from '../../../main/kernel/ledger.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { queryPlan } from '../../support/query-plan.ts'
import { seededRandom } from '../../support/random.ts'

const accountId = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
const instanceId = '0197f0c2-0000-7c51-9d2b-000000000002' as InstanceId
const HIDDEN = 'US.13491208655302741918'
const PERSON = '12025550177'
const DAY_MS = 24 * 3_600_000

let clock: FakeClock
let data: TestDatabase
let optOuts: OptOuts
let say: (text: string, chat?: string) => Promise<unknown>
beforeEach(async () => {
  clock = fakeClock()
  data = await testDatabase(undefined, { clock })
  onTestFinished(() => data.close())
  const ledger = createLedger({ clock, ids: createIds(clock, seededRandom(1)) })
  const instances = { subscribe() {}, owned: async () => undefined }
  optOuts = createOptOuts({ db: data.db, clock, ledger, live: { publish() {} }, instances })
  let count = 0
  say = (text, chat = PERSON) => {
    const said = { message_id: `msg_${++count}`, chat, from: chat, from_me: false, is_group: false, type: 'text', text }
    const event = { accountId, instanceId, type: 'message.received', instance: {}, data: { ...said, content: null } }
    return data.db.commit((tx) => ledger.append(tx, event as never))
  }
})

const open = () => optOuts.questions.page(accountId, { beforeSeq: Number.MAX_SAFE_INTEGER, rows: 10 })
const prune = () => optOuts.questions.retention.begin()()
const dismiss = async () => {
  const [question] = await open()
  return optOuts.answer({ accountId, instanceId, chat: PERSON, messageId: question?.messageId ?? '' }, null)
}
const move = (from: string, to: string) =>
  data.db.commit((tx) => optOuts.movePerson(tx, { accountId, instanceId, from, to, isNewNumber: false }))

test('an unanswered opt-out question expires after thirty days', async () => {
  await say('Cancelar')
  clock.set(clock.now() + 29 * DAY_MS)
  expect(await prune()).toBe(false)
  expect(await open()).toHaveLength(1)
  clock.set(clock.now() + DAY_MS + 1)
  expect(await prune()).toBe(false)
  expect(await open()).toEqual([])
})

test('a text whose question was dismissed creates a new question only after thirty days', async () => {
  await say('Cancelar')
  expect(await dismiss()).toBe(true)
  clock.set(clock.now() + 29 * DAY_MS)
  await prune()
  await say('cancelar')
  expect(await open()).toEqual([])
  clock.set(clock.now() + 2 * DAY_MS)
  await prune()
  await say('cancelar')
  expect(await open()).toHaveLength(1)
})

test('an opt-out question stays open when the person’s hidden number becomes known', async () => {
  await say('Cancelar', HIDDEN)
  await move(HIDDEN, PERSON)
  expect(await open()).toMatchObject([{ chat: PERSON, messageId: 'msg_1' }])
  expect((await optOuts.consentOf(accountId, instanceId, [PERSON])).get(PERSON)?.question?.messageId).toBe('msg_1')
})

test('of two questions about the same person only the later one stays', async () => {
  await say('Cancelar', PERSON)
  await say('Remover', HIDDEN)
  await move(HIDDEN, PERSON)
  expect(await open()).toMatchObject([{ chat: PERSON, text: 'Remover' }])
})

test('an opt-out question is removed when its person turns out to be opted out already', async () => {
  await say('Sair', PERSON)
  await say('Cancelar', HIDDEN)
  await move(HIDDEN, PERSON)
  expect(await open()).toEqual([])
})

test('every query uses an index', () => {
  const statements = [openQuestionsPage, oldQuestions]
  for (const statement of statements) expect(queryPlan(data.raw, statement).join()).not.toMatch(/SCAN|TEMP B-TREE/)
  const over = openQuestionsOf.over(['1'], { instanceId }, async (statement) => queryPlan(data.raw, statement).join())
  return expect(over).resolves.toEqual([expect.stringMatching(/^SEARCH/)])
})
