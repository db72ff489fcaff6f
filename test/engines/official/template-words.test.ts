import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { Templates } from '../../../main/engines/templates.ts'
import { until } from '../../support/service-process.ts'
import { graphWorld, type Credentials, type GraphWorld } from './graph-world.ts'

const BODY = { type: 'BODY', text: 'Hello {{1}}, your table is ready.', example: { body_text: [['Ana']] } }
const DRAFT = { name: 'table_ready', language: 'en', category: 'UTILITY', components: [BODY] }
const HOUR_MS = 3_600_000

let world: GraphWorld
let credentials: Credentials
let instance: EngineInstance
let templates: Templates
beforeEach(async () => {
  world = await graphWorld()
  credentials = await world.number('12025550200')
  instance = await world.connect(credentials)
  templates = world.official.engine.templates as Templates
})
afterEach(() => world.close())

const words = async (name: string, language: string, values: readonly string[] = []) => {
  const parameters = values.map((text) => ({ type: 'text', text }))
  const template = { name, language: { code: language }, components: [{ type: 'body', parameters }] }
  return (await templates.contentOf(instance, { type: 'template', template }))?.text ?? null
}
const become = (text: string | null, name: string, language: string) =>
  until(`the words ${String(text)}`, async () => (await words(name, language, ['Ana'])) === text || undefined)

test('an unknown template has no text at first, and its text is read from Meta for later messages', async () => {
  expect(await words('hello_world', 'en_US')).toBeNull()
  await become('Welcome! This template of the sandbox has no variables.', 'hello_world', 'en_US')
})

test('template changes made elsewhere apply to later messages', async () => {
  const { id } = await templates.create(instance, DRAFT)
  await until('approved', async () => (await templates.read(instance, id))?.status === 'APPROVED')
  expect(await words('table_ready', 'en', ['Ana'])).toBe('Hello Ana, your table is ready.')
  await world.graph.templates(credentials.phoneNumberId).edit(id, 'Your table is waiting, {{1}}, for you.')
  await become('Your table is waiting, Ana, for you.', 'table_ready', 'en')
})

test('template texts older than an hour are used while they are read again', async () => {
  const { id } = await templates.create(instance, DRAFT)
  await until('approved', async () => (await templates.read(instance, id))?.status === 'APPROVED')
  await world.network.templates.alter({ accountId: world.accountId, businessId: credentials.wabaId }, id, {
    components: [{ type: 'BODY', text: 'Your table is waiting, {{1}}, for you.' }],
  })
  expect(await words('table_ready', 'en', ['Ana'])).toBe('Hello Ana, your table is ready.')
  world.data.raw.exec(`UPDATE official_template_words SET noted_at = noted_at - ${HOUR_MS + 1}`)
  expect(await words('table_ready', 'en', ['Ana'])).toBe('Hello Ana, your table is ready.')
  await become('Your table is waiting, Ana, for you.', 'table_ready', 'en')
})

test('a template that Meta no longer has loses its text', async () => {
  const { id } = await templates.create(instance, DRAFT)
  await templates.read(instance, id)
  await world.network.templates.remove({ accountId: world.accountId, businessId: credentials.wabaId }, id)
  world.data.raw.exec(`UPDATE official_template_words SET noted_at = noted_at - ${HOUR_MS + 1}`)
  expect(await words('table_ready', 'en', ['Ana'])).toBe('Hello Ana, your table is ready.')
  await become(null, 'table_ready', 'en')
})

test('a template stays without a text while Meta cannot be reached', async () => {
  await world.graph.close()
  expect(await words('hello_world', 'en_US')).toBeNull()
})
