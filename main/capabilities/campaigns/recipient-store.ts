import type { RecipientStatus, SkipReason } from '../../contract/campaign-recipient.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface Recipient {
  readonly campaignId: string
  readonly position: number
  readonly accountId: AccountId
  readonly phone: string
  readonly canonical: string
  readonly name: string | null
  /** JSON. */
  readonly variables: string | null
  readonly status: RecipientStatus
  readonly instanceId: InstanceId | null
  readonly variation: number | null
  readonly tries: number
  readonly messageId: string | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly skipReason: SkipReason | null
  readonly claimedAtMs: number | null
  readonly sentAtMs: number | null
  readonly deliveredAtMs: number | null
  readonly readAtMs: number | null
  readonly repliedAtMs: number | null
  readonly optedOutAtMs: number | null
}

const RECIPIENT = `campaign_id AS campaignId, position, account_id AS accountId, phone, canonical, name, variables, status,
  instance_id AS instanceId, variation, tries, message_id AS messageId, error_code AS errorCode,
  error_message AS errorMessage, skip_reason AS skipReason, claimed_at AS claimedAtMs, sent_at AS sentAtMs,
  delivered_at AS deliveredAtMs, read_at AS readAtMs, replied_at AS repliedAtMs, opted_out_at AS optedOutAtMs`

interface Place {
  readonly campaignId: string
  readonly position: number
}

/** Changes no row if the number is in the campaign already. */
export const insertRecipient = sql<
  Place & { accountId: string; phone: string; canonical: string; name: string | null; variables: string | null }
>(
  `INSERT INTO campaign_recipients (campaign_id, position, account_id, phone, canonical, name, variables, status)
   VALUES (:campaignId, :position, :accountId, :phone, :canonical, :name, :variables, 'pending')
   ON CONFLICT (campaign_id, canonical) DO NOTHING`,
)

export const recipientAt = sql<Place, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients WHERE campaign_id = :campaignId AND position = :position`,
)

/** With the key that is compared. */
export type KeyedRecipient = Place & Pick<Recipient, 'status' | 'instanceId'> & { readonly number: string }
export const recipientsAfter = sql<{ afterId: string; afterPosition: number; rows: number }, KeyedRecipient>(
  `SELECT campaign_id AS campaignId, position, status, instance_id AS instanceId, canonical AS number
   FROM campaign_recipients WHERE (campaign_id, position) > (:afterId, :afterPosition)
   ORDER BY campaign_id, position LIMIT :rows`,
)
export const setCanonical = sql<Place & { canonical: string }>(
  'UPDATE campaign_recipients SET canonical = :canonical WHERE campaign_id = :campaignId AND position = :position',
)

const KEYED = `r.campaign_id AS campaignId, r.position, r.status, r.instance_id AS instanceId, r.canonical AS number`

/** Recipients with this key to whom unfinished campaigns will write. */
export const waitingUnder = sql<{ accountId: string; canonical: string }, KeyedRecipient>(
  `SELECT ${KEYED} FROM campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id AND r.canonical = :canonical
   WHERE c.account_id = :accountId AND c.status IN ('draft', 'scheduled', 'running', 'paused') AND r.status = 'pending'`,
)
export const reachedUnder = sql<{ accountId: string; canonical: string }, KeyedRecipient>(
  `SELECT ${KEYED} FROM campaign_recipients r
   WHERE r.account_id = :accountId AND r.canonical = :canonical AND r.claimed_at IS NOT NULL`,
)
export const setRecipientPhone = sql<Place & { phone: string }>(
  `UPDATE campaign_recipients SET phone = :phone
   WHERE campaign_id = :campaignId AND position = :position AND status = 'pending'`,
)

export const recipientWith = sql<{ campaignId: string; canonical: string }, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients WHERE campaign_id = :campaignId AND canonical = :canonical`,
)

interface Range {
  readonly campaignId: string
  readonly after: number
  readonly rows: number
}

export const recipientsPage = sql<Range, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients WHERE campaign_id = :campaignId AND position > :after
   ORDER BY position LIMIT :rows`,
)

/** Times of a recipient's events. */
export type RecipientTimes = Pick<
  Recipient,
  'position' | 'status' | 'claimedAtMs' | 'sentAtMs' | 'deliveredAtMs' | 'readAtMs' | 'repliedAtMs'
>

export const timesPage = sql<Range, RecipientTimes>(
  `SELECT position, status, claimed_at AS claimedAtMs, sent_at AS sentAtMs, delivered_at AS deliveredAtMs,
     read_at AS readAtMs, replied_at AS repliedAtMs
   FROM campaign_recipients WHERE campaign_id = :campaignId AND position > :after ORDER BY position LIMIT :rows`,
)

export const recipientsByStatus = sql<Range & { status: string }, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients WHERE campaign_id = :campaignId AND status = :status AND position > :after
   ORDER BY position LIMIT :rows`,
)

export const recipientsWhoReplied = sql<Range, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients
   WHERE campaign_id = :campaignId AND replied_at IS NOT NULL AND position > :after ORDER BY position LIMIT :rows`,
)

export const recipientsWhoOptedOut = sql<Range, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients
   WHERE campaign_id = :campaignId AND opted_out_at IS NOT NULL AND position > :after ORDER BY position LIMIT :rows`,
)

/** Recipients assigned to the number and not sent yet. */
export const waitingFor = sql<{ campaignId: string; instanceId: string; rows: number }, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients
   WHERE campaign_id = :campaignId AND instance_id = :instanceId AND held = 0 AND status = 'pending'
   ORDER BY position LIMIT :rows`,
)

export const waitingCount = sql<{ campaignId: string; instanceId: string }, { count: number }>(
  `SELECT COUNT(*) AS count FROM campaign_recipients
   WHERE campaign_id = :campaignId AND instance_id = :instanceId AND held = 0 AND status = 'pending'`,
)

export const waitingForAny = sql<{ campaignId: string; rows: number }, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients
   WHERE campaign_id = :campaignId AND instance_id IS NULL AND held = 0 AND status = 'pending'
   ORDER BY position LIMIT :rows`,
)

export const oneHeld = sql<{ campaignId: string }, { position: number }>(
  `SELECT position FROM campaign_recipients
   WHERE campaign_id = :campaignId AND instance_id IS NULL AND held = 1 AND status = 'pending'
   ORDER BY position LIMIT 1`,
)

export const assign = sql<Place & { instanceId: string | null; held: 0 | 1 }>(
  `UPDATE campaign_recipients SET instance_id = :instanceId, held = :held
   WHERE campaign_id = :campaignId AND position = :position AND status = 'pending'`,
)

/** Returns the unsent recipients of a number. */
export const releaseWaiting = sql<{ campaignId: string; instanceId: string }>(
  `UPDATE campaign_recipients SET instance_id = NULL
   WHERE campaign_id = :campaignId AND instance_id = :instanceId AND held = 0 AND status = 'pending'`,
)

export const releaseHeld = sql<{ campaignId: string; rows: number }>(
  `UPDATE campaign_recipients SET held = 0 WHERE campaign_id = :campaignId AND position IN (
     SELECT position FROM campaign_recipients
     WHERE campaign_id = :campaignId AND instance_id IS NULL AND held = 1 AND status = 'pending'
     ORDER BY position LIMIT :rows)`,
)

export const markSending = sql<Place & { instanceId: string; variation: number; now: number }>(
  `UPDATE campaign_recipients SET status = 'sending', instance_id = :instanceId, variation = :variation,
     claimed_at = :now, tries = tries + 1
   WHERE campaign_id = :campaignId AND position = :position AND status = 'pending'`,
)

/** For a send that left nothing. */
export const putBack = sql<Place>(
  `UPDATE campaign_recipients SET status = 'pending', claimed_at = NULL
   WHERE campaign_id = :campaignId AND position = :position AND status = 'sending'`,
)

/** The network accepted the message and did not deliver it. */
export const putBackUndelivered = sql<Place & { messageId: string }>(
  `UPDATE campaign_recipients SET status = 'pending', claimed_at = NULL, sent_at = NULL, message_id = :messageId
   WHERE campaign_id = :campaignId AND position = :position AND status IN ('sending', 'sent', 'unknown')`,
)

export const markSkipped = sql<Place & { reason: SkipReason }>(
  `UPDATE campaign_recipients SET status = 'skipped', skip_reason = :reason
   WHERE campaign_id = :campaignId AND position = :position AND status = 'pending'`,
)

/** null keeps the stored value. */
export const moveRecipient = sql<
  Place & {
    from: RecipientStatus
    to: RecipientStatus
    messageId: string | null
    errorCode: string | null
    errorMessage: string | null
    sentAtMs: number | null
    deliveredAtMs: number | null
    readAtMs: number | null
  }
>(
  `UPDATE campaign_recipients SET status = :to, message_id = COALESCE(:messageId, message_id),
     error_code = COALESCE(:errorCode, error_code), error_message = COALESCE(:errorMessage, error_message),
     sent_at = COALESCE(sent_at, :sentAtMs), delivered_at = COALESCE(delivered_at, :deliveredAtMs),
     read_at = COALESCE(read_at, :readAtMs)
   WHERE campaign_id = :campaignId AND position = :position AND status = :from`,
)

export const claimedSince = sql<{ campaignId: string; instanceId: string; since: number }, { count: number }>(
  `SELECT COUNT(*) AS count FROM campaign_recipients
   WHERE campaign_id = :campaignId AND instance_id = :instanceId AND claimed_at IS NOT NULL AND claimed_at > :since`,
)

/** Among the number's sends since then, newest first: the one after `skipped`. */
export const claimedBefore = sql<
  { campaignId: string; instanceId: string; since: number; skipped: number },
  { claimedAtMs: number }
>(
  `SELECT claimed_at AS claimedAtMs FROM campaign_recipients
   WHERE campaign_id = :campaignId AND instance_id = :instanceId AND claimed_at IS NOT NULL AND claimed_at > :since
   ORDER BY claimed_at DESC LIMIT 1 OFFSET :skipped`,
)

export const sendingPage = sql<{ afterId: string; afterPosition: number; rows: number }, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients
   WHERE status = 'sending' AND (campaign_id, position) > (:afterId, :afterPosition)
   ORDER BY campaign_id, position LIMIT :rows`,
)

/** The latest campaign that wrote to this key. */
export const lastReached = sql<{ accountId: string; canonical: string; since: number }, Recipient>(
  `SELECT ${RECIPIENT} FROM campaign_recipients
   WHERE account_id = :accountId AND canonical = :canonical AND claimed_at IS NOT NULL AND claimed_at >= :since
   ORDER BY claimed_at DESC LIMIT 1`,
)

export const markReplied = sql<Place & { at: number }>(
  `UPDATE campaign_recipients SET replied_at = :at
   WHERE campaign_id = :campaignId AND position = :position AND replied_at IS NULL`,
)

export const markOptedOut = sql<Place & { at: number }>(
  `UPDATE campaign_recipients SET opted_out_at = :at
   WHERE campaign_id = :campaignId AND position = :position AND opted_out_at IS NULL`,
)

export const failuresOf = sql<{ campaignId: string; status: string }, { reason: string | null; count: number }>(
  `SELECT COALESCE(error_code, skip_reason) AS reason, COUNT(*) AS count FROM campaign_recipients
   WHERE campaign_id = :campaignId AND status = :status GROUP BY COALESCE(error_code, skip_reason)`,
)
