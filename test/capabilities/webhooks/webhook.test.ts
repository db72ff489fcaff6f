import { expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { ACCOUNT, HOUR, INSTANCE, SECOND, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const OTHER = '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId

test('a new webhook has the defaults of the spec and shows its secret once', async () => {
  const world = await webhookWorld()
  const made = await world
    .webhooks()
    .create(ACCOUNT, { url: 'https://catcher.sandbox/a', events: ['message.received'] }, keepsAccess)
  const { secret, ...shown } = made
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/)
  expect(shown).toEqual({
    id: expect.stringMatching(/^whk_[0-9A-HJKMNP-TV-Z]{26}$/),
    url: 'https://catcher.sandbox/a',
    events: ['message.received'],
    description: null,
    max_in_flight: 8,
    active: true,
    secret_last4: secret.slice(-4),
    disabled_reason: null,
  })
  expect(await world.webhooks().get(ACCOUNT, made.id)).toEqual(shown)
  expect(await world.webhooks().list(ACCOUNT)).toEqual({ data: [shown], count: 1 })
  const stored = JSON.stringify(world.database.raw.prepare('SELECT * FROM webhooks').all())
  expect(stored).not.toContain(secret.slice('whsec_'.length))
})

test('an account has at most ten, deleted ones not counted; other accounts are separate', async () => {
  const world = await webhookWorld()
  const made = await Promise.all(Array.from({ length: 10 }, (_, i) => world.hook(`n${i}`)))
  await expect(world.hook('eleventh')).rejects.toMatchObject({ code: 'webhook_limit_reached' })
  await world.hook('theirs', {}, OTHER)
  await world.webhooks().remove(ACCOUNT, made[0]?.id ?? '')
  await world.hook('eleventh')
  const racing = await Promise.allSettled([world.hook('a'), world.hook('b')])
  expect(racing.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((await world.webhooks().list(ACCOUNT)).data.map(({ url }) => url.split('/').at(-1))).toEqual([
    'eleventh',
    'n9',
    'n8',
    'n7',
    'n6',
    'n5',
    'n4',
    'n3',
    'n2',
    'n1',
  ])
})

test.each([
  'http://hooks.example.com/x',
  'https://127.0.0.1/x',
  'https://[::1]/x',
  'https://localhost/x',
  'https://user:pw@example.com/x',
  'https://example.com:22/x',
  'ftp://example.com',
  'not an address',
  'https:example.com',
  'https://example.com:0/x',
  'https://example.com/a\r\nb',
  'https://169.254.169.254/latest/meta-data',
])('%s is refused with invalid_url, on create and on change', async (url) => {
  const world = await webhookWorld()
  await expect(world.hook('a', { url })).rejects.toMatchObject({ code: 'invalid_url' })
  const { id } = await world.hook('a')
  await expect(world.webhooks().update(ACCOUNT, id, { url }, keepsAccess)).rejects.toMatchObject({
    code: 'invalid_url',
  })
  expect((await world.webhooks().get(ACCOUNT, id)).url).toBe('https://catcher.sandbox/a')
})

test('the URL is stored as it is called, on create and on change', async () => {
  const world = await webhookWorld()
  const made = await world.hook('a', { url: 'HTTPS://CATCHER.sandbox:443/a/../b c' })
  expect((await world.webhooks().get(ACCOUNT, made.id)).url).toBe('https://catcher.sandbox/b%20c')
  const changed = await world.webhooks().update(ACCOUNT, made.id, { url: ' https://catcher.sandbox/ä' }, keepsAccess)
  expect(changed.url).toBe('https://catcher.sandbox/%C3%A4')
  expect((await world.webhooks().get(ACCOUNT, made.id)).url).toBe(changed.url)
})

test('"*" must be the only entry', async () => {
  const world = await webhookWorld()
  const events = ['*', 'message.received']
  await expect(world.hook('a', { events })).rejects.toMatchObject({ code: 'validation_error' })
  const { id } = await world.hook('a')
  await expect(
    world.webhooks().update(ACCOUNT, id, { events: ['message.received', '*'] }, keepsAccess),
  ).rejects.toMatchObject({
    code: 'validation_error',
  })
})

test('a change affects only the named fields; a new URL applies from the next attempt', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('a', { description: 'CRM' })
  world.answer((_, nth) => ({ status: nth === 1 ? 500 : 200 }))
  await world.happen()
  await world.idle()
  expect(
    await world.webhooks().update(ACCOUNT, id, { url: 'https://catcher.sandbox/b', max_in_flight: 3 }, keepsAccess),
  ).toMatchObject({
    url: 'https://catcher.sandbox/b',
    max_in_flight: 3,
    description: 'CRM',
    events: ['*'],
    active: true,
  })
  await world.pass(15 * SECOND)
  expect(world.seen.map(({ name, attempt }) => `${name} ${attempt}`)).toEqual(['a 1', 'b 2'])
  expect(
    await world.webhooks().update(ACCOUNT, id, { description: null, events: ['message.read'] }, keepsAccess),
  ).toMatchObject({
    description: null,
    events: ['message.read'],
  })
  await world.happen({ type: 'message.received' })
  await world.idle()
  expect(world.seen).toHaveLength(2)
})

test('one created paused holds its events until it is resumed', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('a', { active: false })
  await world.happen()
  await world.idle()
  expect(world.seen).toEqual([])
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: false, disabled_reason: null })
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  await world.idle()
  expect(world.seen).toHaveLength(1)
})

test("another account's webhook and delivery do not exist", async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('a')
  await world.happen()
  await world.idle()
  const { id: delivery } = await world.delivery()
  for (const attempt of [
    () => world.webhooks().get(OTHER, id),
    () => world.webhooks().update(OTHER, id, { active: false }, keepsAccess),
    () => world.webhooks().remove(OTHER, id),
    () => world.webhooks().rotate(OTHER, id, 0),
    () => world.webhooks().getDelivery(OTHER, delivery),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  }
  expect((await world.webhooks().list(OTHER)).count).toBe(0)
  expect((await world.webhooks().listDeliveries(OTHER, {})).data).toEqual([])
  expect((await world.webhooks().listDeliveries(OTHER, { webhook_id: id })).data).toEqual([])
  expect((await world.webhooks().listDeliveries(OTHER, { instance_id: INSTANCE })).data).toEqual([])
})

async function pages(world: WebhookWorld, query: object, limit: number) {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await world.webhooks().listDeliveries(ACCOUNT, { ...query, limit, ...(cursor && { cursor }) })
    expect(page.has_more).toBe(page.next_cursor !== null)
    expect(page.data.length).toBeLessThanOrEqual(limit)
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return ids
}

test('deliveries are listed newest first; filters narrow together and pages neither repeat nor skip', async () => {
  const world = await webhookWorld()
  const a = await world.hook('a')
  const b = await world.hook('b', { events: ['message.received'] })
  world.answer(({ name }) => ({ status: name === 'b' ? 500 : 200 }))
  for (const type of ['message.received', 'message.sent', 'message.received', 'instance.connected'] as const) {
    await world.happenTimes(5, { type })
    await world.pass(SECOND)
  }
  const all = (await world.webhooks().listDeliveries(ACCOUNT, { limit: 200 })).data
  expect(all).toHaveLength(30)
  expect(all.map(({ created_at }) => created_at)).toEqual(
    all
      .map(({ created_at }) => created_at)
      .toSorted()
      .toReversed(),
  )

  const filters = [
    {},
    { webhook_id: a.id },
    { webhook_id: b.id, status: 'failed' },
    { status: 'delivered' },
    { status: 'pending' },
    { event_type: 'message.sent' },
    { instance_id: INSTANCE, event_type: 'message.received' },
    { since: all[14]?.created_at },
    { since: all[14]?.created_at, status: 'failed', webhook_id: b.id },
    { since: '2000-01-01T00:00:00Z' },
    { since: '2100-01-01T00:00:00Z' },
    { webhook_id: 'whk_unknown' },
  ] as const
  for (const filter of filters) {
    const wanted = all.filter((one) =>
      Object.entries(filter).every(([name, value]) =>
        name === 'since'
          ? Date.parse(one.created_at) >= Date.parse(value ?? '')
          : one[name as keyof typeof one] === value,
      ),
    )
    for (const limit of [1, 7, 200]) expect(await pages(world, filter, limit)).toEqual(wanted.map(({ id }) => id))
  }
})

test('an instance is found by its id in upper case too, and a page started in one case continues in the other', async () => {
  const world = await webhookWorld()
  await world.hook('a')
  await world.happenTimes(2)
  await world.idle()
  const ids = await pages(world, { instance_id: INSTANCE }, 1)
  expect(ids).toHaveLength(2)
  const { data, next_cursor } = await world
    .webhooks()
    .listDeliveries(ACCOUNT, { instance_id: INSTANCE.toUpperCase(), limit: 1 })
  const rest = { instance_id: INSTANCE, limit: 1, cursor: next_cursor ?? '' }
  const { data: more } = await world.webhooks().listDeliveries(ACCOUNT, rest)
  expect([...data, ...more].map(({ id }) => id)).toEqual(ids)
})

test('of two filters the one with few deliveries selects them, and if both have many the page is the same', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('a', { active: false })
  await world.happenTimes(1)
  const { raw } = world.database
  // Numbered from 2 to 4001: every second of one type, every fourth exhausted, every thousandth failed.
  raw.exec(`CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= 4000)
      SELECT i FROM n;
    INSERT INTO events (seq, event_id, account_seq, instance_seq, type, created_at, head, tail)
    SELECT seq + i, 'evt_x' || i, account_seq, instance_seq, type, created_at, head, tail FROM n, events WHERE seq = 1;
    INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq, event_type, status,
      final_reason, created_at, updated_at)
    SELECT seq + i, 'dlv_x' || i, account_seq, webhook_seq, event_seq + i, instance_seq,
      CASE i % 2 WHEN 0 THEN 'message.read' ELSE 'message.sent' END,
      CASE WHEN i % 1000 = 0 THEN 'failed' WHEN i % 4 = 1 THEN 'exhausted' ELSE 'delivered' END,
      CASE WHEN i % 1000 = 0 THEN 'expired' END, created_at, updated_at FROM n, deliveries WHERE seq = 1`)
  const found = async (query: object) =>
    (await world.webhooks().listDeliveries(ACCOUNT, { limit: 3, ...query })).data.map(({ id }) => id)
  const numbers = (...each: number[]) => each.map((i) => `dlv_x${i}`)
  expect(await found({ webhook_id: id, status: 'failed' })).toEqual(numbers(4000, 3000, 2000))
  expect(await found({ instance_id: INSTANCE, status: 'failed', event_type: 'message.sent' })).toEqual([])
  expect(await found({ webhook_id: id, event_type: 'message.sent' })).toEqual(numbers(4001, 3999, 3997))
  expect(await found({ status: 'exhausted', event_type: 'message.sent' })).toEqual(numbers(4001, 3997, 3993))
  expect(await found({ status: 'exhausted', event_type: 'message.read' })).toEqual([])
  expect(await found({ status: 'delivered', event_type: 'message.read' })).toEqual(numbers(3998, 3996, 3994))
  expect(await found({ webhook_id: 'whk_unknown', event_type: 'message.sent' })).toEqual([])
  // They have no attempts, which the invariants would tell.
  raw.exec('DELETE FROM deliveries WHERE seq > 1')
  await world.idle()
})

test('a cursor is valid only for its list', async () => {
  const world = await webhookWorld()
  await world.hook('a')
  await world.happenTimes(3)
  await world.idle()
  const { next_cursor } = await world.webhooks().listDeliveries(ACCOUNT, { limit: 1 })
  const cursor = next_cursor ?? ''
  for (const attempt of [
    () => world.webhooks().listDeliveries(OTHER, { limit: 1, cursor }),
    () => world.webhooks().listDeliveries(ACCOUNT, { limit: 1, cursor, status: 'delivered' }),
    () => world.webhooks().listDeliveries(ACCOUNT, { limit: 1, cursor: `${cursor}A` }),
    () => world.webhooks().listDeliveries(ACCOUNT, { limit: 1, cursor: '' }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'invalid_cursor' })
  }
})

test('more than a hundred thousand waiting: the oldest are closed as overflow, visibly', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('a', { active: false })
  await world.happenTimes(30)
  const { raw } = world.database
  raw.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq, event_type, status, next_attempt_at, created_at, updated_at)
    SELECT 1000000 + i, 'dlv_x' || i, 1, 1, 1000000 + i, 2, 'message.read', 'pending', 1, 1, 1 FROM n`)
  await world.pass(HOUR + SECOND)
  const count = (where: string) => raw.prepare(`SELECT COUNT(*) FROM deliveries WHERE ${where}`).pluck().get()
  expect(count('next_attempt_at IS NOT NULL')).toBe(100_000)
  expect(count("final_reason = 'overflow' AND status = 'failed' AND seq < 1000000")).toBe(30)
  raw.exec('DELETE FROM deliveries')
  expect(await world.webhooks().get(ACCOUNT, id)).toMatchObject({ active: false })
})

test('an empty change returns the webhook unchanged, and writes nothing', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook('a')
  const row = () => world.database.raw.prepare('SELECT * FROM webhooks WHERE id = ?').get(id)
  const before = row()
  await world.clock.advance(SECOND)
  expect(await world.webhooks().update(ACCOUNT, id, {}, keepsAccess)).toEqual(await world.webhooks().get(ACCOUNT, id))
  expect(row()).toEqual(before)
  await expect(world.webhooks().update(OTHER, id, {}, keepsAccess)).rejects.toMatchObject({ code: 'not_found' })
})
