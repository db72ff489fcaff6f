import type { Migration } from '../migrate.ts'

/**
 * The row of another room for which a message was sent, as JSON (`contract/send-origin.ts`). Earlier versions derived
 * it from the Idempotency-Key. Messages that can still change get theirs here: recipients follow each status, and the
 * other rooms only the first one after `queued`.
 */
export const sendOrigins: Migration = {
  version: 80,
  name: 'send-origins',
  sql: `
ALTER TABLE messages ADD COLUMN origin TEXT;

-- cmp:<id of the campaign>:<position>, and :<id of a message> after one that Meta took and did not deliver.
UPDATE messages SET origin = json_object('kind', 'campaign', 'campaignId', campaign_id,
    'position', CAST(substr(idem_key, length(campaign_id) + 6) AS INTEGER))
  WHERE campaign_id IS NOT NULL AND status IN ('queued', 'sent', 'delivered')
    AND substr(idem_key, 1, length(campaign_id) + 5) = 'cmp:' || campaign_id || ':';

-- ai:<id of the conversation>:<turn>, and :<part> from the second one on.
UPDATE messages SET origin = (
    SELECT json_object('kind', 'agent', 'turnSeq', t.seq, 'part', CAST(substr(idem_key,
        length('ai:' || c.id || ':' || t.turn || ':') + 1) AS INTEGER))
      FROM ai_conversations c JOIN ai_turns t ON t.conversation_seq = c.seq
      WHERE c.id = substr(idem_key, 4, 30) AND t.turn = CAST(substr(idem_key, 35) AS INTEGER))
  WHERE source = 'ai' AND status = 'queued' AND substr(idem_key, 1, 3) = 'ai:';

-- ghl:<id in the CRM> or crm:<id in the CRM>, and #<part> from the second one on.
UPDATE messages SET origin = json_object('kind', 'crm',
    'link', CASE substr(idem_key, 1, 4) WHEN 'ghl:' THEN 'ghl' ELSE 'webhook' END,
    'externalId', CASE
      WHEN idem_key <> rtrim(idem_key, '0123456789') AND rtrim(idem_key, '0123456789') GLOB '*#'
        THEN substr(rtrim(idem_key, '0123456789'), 5, length(rtrim(idem_key, '0123456789')) - 5)
      ELSE substr(idem_key, 5) END)
  WHERE source = 'ghl' AND status = 'queued' AND substr(idem_key, 1, 4) IN ('ghl:', 'crm:');
`,
  postgres: 'ALTER TABLE messages ADD COLUMN origin TEXT',
}
