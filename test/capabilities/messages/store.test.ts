import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as store from '../../../main/capabilities/messages/store.ts'
import { toRecord } from '../../../main/capabilities/messages/record.ts'
import { queryPlan } from '../../support/query-plan.ts'
import { accepted, bench, idIn, INSTANCE, TEXT, type Bench } from './bench.ts'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const statements = Object.entries(store).flatMap(([name, value]) =>
  typeof value === 'object' && 'text' in value ? [[name, value.text] as const] : [],
)

describe('every query on messages', () => {
  test.each(statements.filter(([, text]) => !text.startsWith('INSERT')))('%s uses an index', (_name, text) => {
    const plan = queryPlan(b.raw, { text })
    for (const step of plan) expect(step).not.toMatch(/SCAN message|TEMP B-TREE/)
    expect(plan.some((step) => step.startsWith('SEARCH'))).toBe(true)
  })
})

describe('the status record', () => {
  test('of a read message has every time and its history', async () => {
    b.engine.plan = async () => accepted('E1')
    const id = idIn(await b.send(TEXT, { key: 'k' }))
    await b.clock.advance(1_000)
    await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId: id, status: 'read', atMs: b.clock.now() })
    expect(toRecord(await b.messages.get(INSTANCE, id), 'smv2', null)).toEqual({
      message_id: id,
      engine_message_id: 'E1',
      instance_id: INSTANCE,
      engine: 'smv2',
      to: '12025550123',
      type: 'text',
      status: 'read',
      source: 'api',
      idempotency_key: 'k',
      created_at: '2026-01-05T12:00:00.000Z',
      queued_at: '2026-01-05T12:00:00.000Z',
      sent_at: '2026-01-05T12:00:00.000Z',
      delivered_at: '2026-01-05T12:00:01.000Z',
      read_at: '2026-01-05T12:00:01.000Z',
      failed_at: null,
      held_since: null,
      valid_until: null,
      error: null,
      pricing: null,
      history: [
        { status: 'queued', at: '2026-01-05T12:00:00.000Z' },
        { status: 'sent', at: '2026-01-05T12:00:00.000Z' },
        { status: 'delivered', at: '2026-01-05T12:00:01.000Z' },
        { status: 'read', at: '2026-01-05T12:00:01.000Z' },
      ],
    })
  })

  test('of a failed message has the reason, and its history ends there', async () => {
    const error = { code: 'outside_window', message: 'The window is closed.', provider_code: 131047 } as const
    b.engine.plan = async () => ({ kind: 'refused', error })
    const record = toRecord(await b.messages.get(INSTANCE, idIn(await b.send(TEXT))), 'smv2', null)
    expect(record).toMatchObject({ status: 'failed', error, sent_at: null, failed_at: '2026-01-05T12:00:00.000Z' })
    expect(record.history.map(({ status }) => status)).toEqual(['queued', 'failed'])
  })
})
