import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { Templates } from '../../../main/engines/templates.ts'
import { until } from '../../support/service-process.ts'
import { ANA, graphWorld, type Credentials, type GraphWorld } from './graph-world.ts'

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

const later = (what: string, holds: () => Promise<boolean>) => until(what, async () => (await holds()) || undefined)
const approved = (id: string) =>
  later('approved', async () => (await templates.read(instance, id))?.status === 'APPROVED')
const sendIt = (parameters = ['Ana']) =>
  world.send(instance, {
    kind: 'cloud_api',
    to: ANA,
    payload: {
      type: 'template',
      template: {
        ...{ name: DRAFT.name, language: { code: DRAFT.language } },
        components: [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }],
      },
    },
  })
const refusalOf = (act: Promise<unknown>) =>
  act.then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  )
const calledBack = (value: object) =>
  world.graph.callBack(credentials.phoneNumberId, { field: 'message_template_status_update', value })

test('a template is in review, approved, and sent; before that Meta takes no message with it', async () => {
  const { id } = await templates.create(instance, DRAFT)
  expect(await templates.read(instance, id)).toEqual({
    ...DRAFT,
    ...{ id, status: 'PENDING', quality: null, rejectedReason: null, pausedUntilMs: null },
  })
  expect((await sendIt()).outcome).toMatchObject({ kind: 'invalid', template: 'missing' })
  await approved(id)
  expect((await sendIt()).outcome.kind).toBe('accepted')
  expect((await sendIt([])).outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining('132000') })
})

test('a template that the review rejects says why, and can be mended', async () => {
  const text = '{{1}}, your table is ready.'
  const { id } = await templates.create(instance, { ...DRAFT, components: [{ ...BODY, text }] })
  await later('rejected', async () => (await templates.read(instance, id))?.status === 'REJECTED')
  expect(await templates.read(instance, id)).toMatchObject({ rejectedReason: 'INVALID_FORMAT' })
  await templates.change(instance, id, { components: [BODY], category: 'MARKETING' })
  expect(await templates.read(instance, id)).toMatchObject({ status: 'PENDING', rejectedReason: null })
  await approved(id)
  expect(await templates.read(instance, id)).toMatchObject({ category: 'MARKETING', components: [BODY] })
})

describe('Meta refuses', () => {
  test('a second one with the same name and language, so that a repeated call makes nothing twice', async () => {
    const both = await Promise.all([1, 2].map(() => refusalOf(templates.create(instance, DRAFT))))
    expect(both.toSorted()).toEqual([
      'Meta refused this (100): There is already content in en for this template.',
      'done',
    ])
    const { templates: all } = await templates.list(instance, { limit: 50, after: null })
    expect(all.filter(({ name }) => name === DRAFT.name)).toHaveLength(1)
  })

  test('an edit in review, and a second edit of an approved one within a day, or in another category', async () => {
    const { id } = await templates.create(instance, DRAFT)
    expect(await refusalOf(templates.change(instance, id, { components: [BODY] }))).toContain(
      'approved, rejected or paused',
    )
    await approved(id)
    expect(await refusalOf(templates.change(instance, id, { category: 'MARKETING' }))).toContain('category')
    await templates.change(instance, id, { components: [BODY] })
    await approved(id)
    expect(await refusalOf(templates.change(instance, id, { components: [BODY] }))).toContain('once in 24 hours')
  })

  test('a name that was deleted in the last 30 days', async () => {
    const { id } = await templates.create(instance, DRAFT)
    await templates.remove(instance, { id, name: DRAFT.name })
    expect(await templates.read(instance, id)).toBeUndefined()
    expect(await refusalOf(templates.create(instance, DRAFT))).toContain('30 days')
  })

  test('to edit or delete its samples', async () => {
    const { templates: all } = await templates.list(instance, { limit: 1, after: null })
    const [sample] = all
    if (sample === undefined) throw new Error('Meta has samples')
    expect(await refusalOf(templates.change(instance, sample.id, { components: [BODY] }))).toContain('Sample')
    expect(await refusalOf(templates.remove(instance, sample))).toContain('Sample')
  })
})

test('a template of another business account is not there, also when the token is good for both', async () => {
  const other = await world.number('12025550201')
  const theirs = await world.connect(other)
  const { id } = await templates.create(theirs, DRAFT)
  expect(await templates.read(theirs, id)).toMatchObject({ id })
  world.data.raw
    .prepare('UPDATE sandbox_graph_numbers SET access_token = ? WHERE phone_number_id = ?')
    .run(credentials.accessToken, other.phoneNumberId)
  expect(await templates.read(instance, id)).toBeUndefined()
})

describe('a pause', () => {
  const paused = (id: string, title: string) =>
    calledBack({ event: 'PAUSED', message_template_id: Number(id), other_info: { title, description: 'Low quality.' } })

  test.each([
    ['FIRST_PAUSE', 3],
    ['SECOND_PAUSE', 6],
  ])('of Meta, %s, lasts %i hours, and the template says until when', async (title, hours) => {
    const { id } = await templates.create(instance, DRAFT)
    await approved(id)
    const owner = { accountId: world.accountId, businessId: credentials.wabaId }
    await world.network.templates.pause(owner, id, Date.now() + hours * HOUR_MS)
    expect(await templates.read(instance, id)).toMatchObject({ status: 'PAUSED', quality: 'RED', pausedUntilMs: null })
    expect((await sendIt()).outcome).toMatchObject({ kind: 'invalid', template: 'paused' })
    const before = Date.now()
    await paused(id, title)
    await later('noted', async () => ((await templates.read(instance, id))?.pausedUntilMs ?? null) !== null)
    const until = (await templates.read(instance, id))?.pausedUntilMs ?? 0
    expect(Math.abs(until - before - hours * HOUR_MS)).toBeLessThan(60_000)
    await calledBack({ event: 'APPROVED', message_template_id: Number(id), other_info: { title: 'UNPAUSE' } })
    await later('ended', async () => (await templates.read(instance, id))?.pausedUntilMs === null)
  })
})

test('pages begin where the last one ended', async () => {
  for (const name of ['one', 'two', 'three']) await templates.create(instance, { ...DRAFT, name })
  const seen: string[] = []
  for (let after: string | null = null, at = 0; at === 0 || after !== null; at++) {
    const page = await templates.list(instance, { limit: 2, after })
    seen.push(...page.templates.map(({ name }) => name))
    after = page.after
  }
  expect(seen.toSorted()).toEqual(['hello_world', 'one', 'order_update', 'spring_offer', 'three', 'two'])
})
