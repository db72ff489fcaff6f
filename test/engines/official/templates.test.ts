import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { Templates } from '../../../main/engines/templates.ts'
import { until } from '../../support/service-process.ts'
import { ANA, graphWorld, soon, type Credentials, type GraphWorld } from './graph-world.ts'

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
const of = () => world.graph.templates(credentials.phoneNumberId)
const calledBack = (value: object) =>
  world.graph.callBack(credentials.phoneNumberId, { field: 'message_template_status_update', value })

test('a template is reviewed, approved and sent, and cannot be sent before it is approved', async () => {
  const { id } = await templates.create(instance, DRAFT)
  expect(await templates.read(instance, id)).toEqual({
    ...DRAFT,
    ...{
      id,
      status: 'PENDING',
      quality: null,
      rejectedReason: null,
      pausedUntilMs: null,
      categoryChange: null,
      suspension: null,
      ttlSeconds: null,
      deletedAtMs: null,
    },
  })
  expect((await sendIt()).outcome).toMatchObject({ kind: 'invalid', template: 'missing' })
  await approved(id)
  expect((await sendIt()).outcome.kind).toBe('accepted')
  expect((await sendIt([])).outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining('132000') })
})

test('a rejected template has a reason and can be corrected', async () => {
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
  test('a second template with the same name and language, so a repeated call creates only one', async () => {
    const both = await Promise.all([1, 2].map(() => refusalOf(templates.create(instance, DRAFT))))
    expect(both.toSorted()).toEqual([
      'Meta refused this (100): There is already content in en for this template.',
      'done',
    ])
    const { templates: all } = await templates.list(instance, { limit: 50, after: null })
    expect(all.filter(({ name }) => name === DRAFT.name)).toHaveLength(1)
  })

  test('an edit during review, and a second edit of an approved template within a day or to another category', async () => {
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

  test('edits and deletions of its sample templates', async () => {
    const { templates: all } = await templates.list(instance, { limit: 1, after: null })
    const [sample] = all
    if (sample === undefined) throw new Error('Meta has samples')
    expect(await refusalOf(templates.change(instance, sample.id, { components: [BODY] }))).toContain('Sample')
    expect(await refusalOf(templates.remove(instance, sample))).toContain('Sample')
  })
})

test('a template of another business account is not found, even if the token is valid for both', async () => {
  const other = await world.number('12025550201')
  const theirs = await world.connect(other)
  const { id } = await templates.create(theirs, DRAFT)
  expect(await templates.read(theirs, id)).toMatchObject({ id })
  world.data.raw
    .prepare('UPDATE sandbox_graph_numbers SET access_token = ? WHERE phone_number_id = ?')
    .run(credentials.accessToken, other.phoneNumberId)
  expect(await templates.read(instance, id)).toBeUndefined()
})

describe('a pause that does not end automatically', () => {
  const isPaused = async (id: string) => (await templates.read(instance, id))?.status === 'PAUSED'

  test('can be ended by a person, and messages are accepted again', async () => {
    const { id } = await templates.create(instance, DRAFT)
    await approved(id)
    await of().failAssessment(id)
    expect(await templates.read(instance, id)).toMatchObject({ status: 'PAUSED', pausedUntilMs: null })
    expect((await sendIt()).outcome).toMatchObject({ kind: 'invalid', template: 'paused', pausedUntilMs: null })
    await templates.unpause(instance, id)
    expect(await isPaused(id)).toBe(false)
    expect((await sendIt()).outcome.kind).toBe('accepted')
  })

  test('for low quality cannot be ended by a person, and the error contains Meta’s message', async () => {
    const { id } = await templates.create(instance, DRAFT)
    await approved(id)
    await of().pause(id, 'FIRST_PAUSE')
    expect(await refusalOf(templates.unpause(instance, id))).toBe(
      'Meta refused this (100): The template was paused for its low quality. The pause ends by itself.',
    )
    expect(await isPaused(id)).toBe(true)
  })
})

describe('a template pause', () => {
  const NAMED = { name: DRAFT.name, language: DRAFT.language }
  const noted = (id: string, untilMs: number | null) =>
    later('noted', async () => (await templates.read(instance, id))?.pausedUntilMs === untilMs)

  test.each([
    ['FIRST_PAUSE', 3],
    ['SECOND_PAUSE', 6],
  ] as const)('of Meta, %s, lasts %i hours, and its end is shown everywhere', async (title, hours) => {
    const { id } = await templates.create(instance, DRAFT)
    await approved(id)
    const before = Date.now()
    const untilMs = await of().pause(id, title)
    expect(Math.abs(untilMs - before - hours * HOUR_MS)).toBeLessThan(2_000)
    await noted(id, untilMs)
    expect(await templates.read(instance, id)).toMatchObject({ status: 'PAUSED', quality: 'RED' })
    expect((await sendIt()).outcome).toMatchObject({
      ...{ kind: 'invalid', template: 'paused', pausedUntilMs: untilMs },
      message: expect.stringContaining(new Date(untilMs).toISOString()),
    })
    await of().endPause(id)
    await noted(id, null)
    expect(world.of(instance, 'template')).toEqual([
      { kind: 'template', template: NAMED, use: 'paused', untilMs },
      { kind: 'template', template: NAMED, use: 'usable', untilMs: null },
    ])
  })

  test('has no further effect once the template is disabled', async () => {
    const { id } = await templates.create(instance, DRAFT)
    await approved(id)
    await of().pause(id, 'SECOND_PAUSE')
    await of().disable(id)
    await noted(id, null)
    expect(await templates.read(instance, id)).toMatchObject({ status: 'DISABLED' })
    expect((await sendIt()).outcome).toMatchObject({ kind: 'invalid', template: 'disabled', pausedUntilMs: null })
    expect(world.of(instance, 'template').at(-1)).toMatchObject({ use: 'disabled', untilMs: null })
  })

  test('without a known length has no end', async () => {
    const { id } = await templates.create(instance, DRAFT)
    const named = { message_template_name: DRAFT.name, message_template_language: DRAFT.language }
    const other_info = { title: 'RATE_LIMITING_PAUSE' }
    await calledBack({ event: 'PAUSED', message_template_id: Number(id), ...named, other_info })
    await soon('told', () => world.of(instance, 'template').length === 1)
    expect(world.of(instance, 'template')).toMatchObject([{ template: NAMED, use: 'paused', untilMs: null }])
  })
})

test('every other change of a template is reported, and appears in the next list', async () => {
  const { id } = await templates.create(instance, DRAFT)
  await approved(id)
  await of().rate(id, 'YELLOW')
  await of().announceCategory(id, 'MARKETING')
  await of().changeCategory(id, 'MARKETING')
  await of().edit(id, 'Hello {{1}}, see you soon.')
  await soon('told', () => world.of(instance, 'template').length === 4)
  expect(new Set(world.of(instance, 'template').map(({ use }) => use))).toEqual(new Set([null]))
  expect(await templates.read(instance, id)).toMatchObject({
    ...{ quality: 'YELLOW', category: 'MARKETING' },
    components: [{ text: 'Hello {{1}}, see you soon.' }],
  })
})

describe('a category change that Meta announces', () => {
  const announced = () => templates.announced?.(instance.accountId)
  const later = { message_template_name: DRAFT.name, message_template_language: DRAFT.language }
  let id: string
  beforeEach(async () => {
    id = (await templates.create(instance, DRAFT)).id
    await approved(id)
    await of().announceCategory(id, 'MARKETING')
    await soon('told', () => world.of(instance, 'template').length === 1)
  })

  test('is stored with the template until it happens', async () => {
    const change = { category: 'MARKETING', atMs: expect.any(Number) }
    const read = await templates.read(instance, id)
    expect(read).toMatchObject({ category: 'UTILITY', categoryChange: change })
    const aheadMs = (read?.categoryChange?.atMs ?? 0) - Date.now()
    expect(aheadMs > 23 * HOUR_MS && aheadMs <= 24 * HOUR_MS, String(aheadMs)).toBe(true)
    expect(await announced()).toEqual([
      { name: DRAFT.name, language: DRAFT.language, ...change, instanceIds: [instance.id] },
    ])
    await of().changeCategory(id, 'MARKETING')
    await soon('told', () => world.of(instance, 'template').length === 2)
    expect(await templates.read(instance, id)).toMatchObject({ category: 'MARKETING', categoryChange: null })
    expect(await announced()).toEqual([])
  })

  test('ends at its time, or when Meta announces that the category stays', async () => {
    const report = async (seconds: number, category: string) => {
      const count = world.of(instance, 'template').length
      await world.graph.callBack(credentials.phoneNumberId, {
        field: 'template_category_update',
        value: {
          ...{ message_template_id: Number(id), ...later, correct_category: category, new_category: 'UTILITY' },
          category_update_timestamp: seconds,
        },
      })
      await soon('told', () => world.of(instance, 'template').length === count + 1)
    }
    const tomorrow = Math.floor(Date.now() / 1_000) + 86_400
    await report(tomorrow, 'UTILITY')
    expect(await announced()).toEqual([])
    await report(tomorrow, 'AUTHENTICATION')
    expect(await announced()).toMatchObject([{ category: 'AUTHENTICATION', atMs: tomorrow * 1_000 }])
    await report(Math.floor(Date.now() / 1_000) - 60, 'MARKETING')
    expect([await announced(), (await templates.read(instance, id))?.categoryChange]).toEqual([[], null])
  })

  test('affects only one account', async () => {
    const other = await world.connect(await world.number('12025550201'))
    expect(
      (await templates.list(other, { limit: 50, after: null })).templates.map((one) => one.categoryChange),
    ).toEqual([null, null, null])
  })
})

test('pages continue where the last one ended', async () => {
  for (const name of ['one', 'two', 'three']) await templates.create(instance, { ...DRAFT, name })
  const seen: string[] = []
  for (let after: string | null = null, at = 0; at === 0 || after !== null; at++) {
    const page = await templates.list(instance, { limit: 2, after })
    seen.push(...page.templates.map(({ name }) => name))
    after = page.after
  }
  expect(seen.toSorted()).toEqual(['hello_world', 'one', 'order_update', 'spring_offer', 'three', 'two'])
})

describe('the limit of templates', () => {
  const issues = () =>
    (world.official.engine.evidence(instance).issues ?? []).filter(({ code }) => code === 'templates_nearly_full')
  const fill = async (count: number, from = 0) => {
    const owner = { accountId: world.accountId, businessId: credentials.wabaId }
    for (let at = from; at < from + count; at++)
      await world.network.templates.create(owner, { ...DRAFT, name: `filler_${at}` })
  }
  const capacity = async () => (await templates.list(instance, { limit: 1, after: null })).capacity

  test('is reported before it is reached, and a new template is refused with advice', async () => {
    // Every business account has three samples.
    await fill(221)
    expect(await capacity()).toEqual({ count: 224, limit: 250 })
    expect(issues()).toEqual([])
    await templates.create(instance, DRAFT)
    expect(await capacity()).toEqual({ count: 225, limit: 250 })
    expect(issues()).toMatchObject([{ facts: { count: 225, limit: 250 } }])
    await fill(25, 221)
    expect(await capacity()).toEqual({ count: 250, limit: 250 })
    const refused = await templates.create(instance, { ...DRAFT, name: 'one_more' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'invalid_state', detail: { reason: 'template_limit_reached' } })
    expect((refused as Error).message).toContain('as many templates as Meta allows')
  })
})
