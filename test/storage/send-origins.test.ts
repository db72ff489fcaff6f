import { expect, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { testDatabase } from '../support/database.ts'

const CAMPAIGN = 'cmp_00000000000000000000000001'
const CONVERSATION = 'cnv_00000000000000000000000001'

/** Messages of a version that read the origin out of the key. */
const MESSAGES = [
  {
    source: 'campaign',
    status: 'sent',
    key: `cmp:${CAMPAIGN}:12`,
    origin: { kind: 'campaign', campaignId: CAMPAIGN, position: 12 },
  },
  {
    source: 'campaign',
    status: 'queued',
    key: `cmp:${CAMPAIGN}:3:msg_1`,
    origin: { kind: 'campaign', campaignId: CAMPAIGN, position: 3 },
  },
  // Nothing follows these.
  { source: 'campaign', status: 'read', key: `cmp:${CAMPAIGN}:4`, origin: null },
  { source: 'api', status: 'sent', key: `cmp:${CAMPAIGN}:5`, origin: null },
  { source: 'ai', status: 'queued', key: `ai:${CONVERSATION}:2`, origin: { kind: 'agent', turnSeq: 41, part: 0 } },
  { source: 'ai', status: 'queued', key: `ai:${CONVERSATION}:2:3`, origin: { kind: 'agent', turnSeq: 41, part: 3 } },
  // The turn was removed.
  { source: 'ai', status: 'queued', key: `ai:${CONVERSATION}:9`, origin: null },
  { source: 'ghl', status: 'queued', key: 'ghl:abc', origin: { kind: 'crm', link: 'ghl', externalId: 'abc' } },
  { source: 'ghl', status: 'queued', key: 'crm:a#b#2', origin: { kind: 'crm', link: 'webhook', externalId: 'a#b' } },
  { source: 'ghl', status: 'queued', key: 'crm:5512', origin: { kind: 'crm', link: 'webhook', externalId: '5512' } },
  { source: 'api', status: 'queued', key: null, origin: null },
] as const

test('messages of an earlier version get the origin that their key indicates', async () => {
  const step = MIGRATIONS.find(({ name }) => name === 'send-origins')
  const { raw, close } = await testDatabase(MIGRATIONS.filter((one) => one !== step))
  onTestFinished(close)
  raw.pragma('foreign_keys = OFF')
  raw.exec(`
    INSERT INTO ai_conversations (seq, id, instance_id, chat, account_id, changed_at)
      VALUES (8, '${CONVERSATION}', 'ins', '1', 'acc', 0);
    INSERT INTO ai_turns (seq, conversation_seq, turn, instance_id, chat, account_id, kind, state, revision, question,
        first_at, due_at, created_at)
      VALUES (40, 8, 1, 'ins', '1', 'acc', 'reply', 'answered', 1, '', 0, 0, 0),
             (41, 8, 2, 'ins', '1', 'acc', 'reply', 'unknown', 1, '', 0, 0, 0)`)
  const put = raw.prepare(
    `INSERT INTO messages (seq, id, account_id, instance_id, direction, chat, type, text, status, source, idem_key,
       campaign_id, is_group, created_at)
     VALUES (:seq, 'msg_' || :seq, 'acc', 'ins', 'out', '1', 'text', '', :status, :source, :key, :campaignId, 0, 0)`,
  )
  for (const [seq, { source, status, key }] of MESSAGES.entries())
    put.run({ seq, source, status, key, campaignId: source === 'campaign' ? CAMPAIGN : null })

  raw.exec(step?.sql ?? '')

  const rows = raw.prepare('SELECT origin FROM messages ORDER BY seq').pluck().all() as (string | null)[]
  expect(rows.map((row) => row && (JSON.parse(row) as unknown))).toEqual(MESSAGES.map(({ origin }) => origin))
})
