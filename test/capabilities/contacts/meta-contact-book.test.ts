import { beforeEach, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PERSON = '12025550195'
const NUMBERS = ['12025550496', '12025550497', '12025550498'] as const

let w: World
let graph: GraphSimulator
let lines: OfficialNumber[]
beforeEach(async () => {
  w = await worldOfTest({
    settings: { graphBaseUrl: 'sandbox', network: 'live' },
    onGraph: (made) => (graph = made),
  })
  lines = []
  for (const number of NUMBERS) {
    lines.push(await officialNumber(w, number))
    await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: number, text: 'Hello' })
    await w.pass(1_000)
  }
})

const kept = () => Promise.all(lines.map(({ phoneNumberId }) => graph.contactBook(phoneNumberId).has(PERSON)))
const remove = () => w.api('DELETE', `/v1/contacts/${PERSON}`)
const waiting = async () =>
  (await w.rows("SELECT seq FROM jobs WHERE kind = 'contacts.forget_at_meta' AND state IN ('waiting', 'running')"))
    .length

test('deleting a contact deletes the person from Meta’s contact book of every official number', async () => {
  expect(await kept()).toEqual([true, true, true])
  expect((await remove()).status).toBe(204)
  await w.pass(2_000)
  expect(await kept()).toEqual([false, false, false])
})

test('failed deletions in the contact book are retried, and refusals of Meta are shown in the number’s health', async () => {
  const [first, second] = lines as [OfficialNumber, OfficialNumber]
  graph.contactBook(first.phoneNumberId).refuse()
  await second.cause('server_error', 2)
  await remove()
  await w.pass(2_000)
  await w.pass(12 * 60_000)
  expect(await kept()).toEqual([true, false, false])
  const { body } = await w.api('GET', `/v1/instances/${first.id}/health`)
  expect(JSON.stringify(body)).toContain('contact_book_kept')
  const other = await w.api('GET', `/v1/instances/${second.id}/health`)
  expect(JSON.stringify(other.body)).not.toContain('contact_book_kept')
})

test('deletions in the contact book of a deleted number are dropped', async () => {
  const [first] = lines as [OfficialNumber]
  await first.cause('server_error', 1)
  await remove()
  await w.pass(1_000)
  await w.api('DELETE', `/v1/instances/${first.id}?confirm=true`)
  await w.pass(2 * 60_000)
  expect(await waiting()).toBe(0)
})
