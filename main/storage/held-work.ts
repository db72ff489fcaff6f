import { jobKindsThatAre } from '../contract/job-kinds.ts'
import { LINK_KEY_OF } from '../kernel/meta.ts'

/**
 * Work that a backup still has to do, although it was done since or is too late. A person decides about it. These
 * statements need only the time as `:now`.
 */

const MAY_HAVE_ARRIVED =
  'A backup was restored while this message was being sent. It may have arrived, so it is not sent again.'

/** A campaign that sent, or may have sent, since the backup waits for a person. */
const CAMPAIGNS = [
  `UPDATE main.campaign_recipients SET status = 'unknown', error_code = 'restored', error_message = '${MAY_HAVE_ARRIVED}'
    WHERE status = 'sending'`,
  `UPDATE main.campaigns SET status = 'paused', pause_reason = 'restored', resume_at = NULL, unusable_since = NULL,
     updated_at = :now
    WHERE status = 'running'
       OR (status = 'paused' AND pause_reason IN ('outside_window', 'no_instance', 'restricted'))
       OR (status = 'paused' AND id IN (SELECT id FROM has_sent))
       OR (status = 'scheduled' AND id IN (SELECT id FROM gone_campaigns))
       OR (status = 'scheduled' AND (scheduled_at <= :now
         OR NOT EXISTS (SELECT 1 FROM was_scheduled w
           WHERE w.id = campaigns.id AND w.scheduled_at = campaigns.scheduled_at)))`,
  // Recipients given to a number that is not in the backup go to the others.
  `UPDATE main.campaign_recipients SET instance_id = NULL WHERE status = 'pending' AND instance_id IS NOT NULL
     AND instance_id NOT IN (SELECT id FROM main.instances)`,
  `UPDATE main.campaign_instances SET has_job = EXISTS (SELECT 1 FROM main.jobs j WHERE j.kind = 'campaigns.send'
     AND j.subject_id = campaign_instances.campaign_id AND j.lane = campaign_instances.instance_id
     AND j.state IN ('waiting', 'running'))`,
  'DELETE FROM main.campaign_counts',
  `INSERT INTO main.campaign_counts (campaign_id, instance_id, variation, pending, sent, delivered, read, replied, failed,
     skipped, unknown, opted_out)
    SELECT campaign_id, CASE WHEN status IN ('pending', 'skipped') THEN '' ELSE COALESCE(instance_id, '') END AS number,
      CASE WHEN status IN ('pending', 'skipped') THEN 0 ELSE COALESCE(variation, 0) END AS text,
      SUM(status = 'pending'), SUM(status IN ('sent', 'delivered', 'read')), SUM(status IN ('delivered', 'read')),
      SUM(status = 'read'), SUM(replied_at IS NOT NULL), SUM(status = 'failed'), SUM(status = 'skipped'),
      SUM(status = 'unknown'), SUM(opted_out_at IS NOT NULL)
     FROM main.campaign_recipients GROUP BY campaign_id, number, text`,
]

/** Without knowing who got the message since, every waiting recipient may have got it. */
export const NOBODY_TWICE = `UPDATE main.campaign_recipients SET status = 'unknown', error_code = 'restored',
   error_message = 'A backup was restored, and nothing says whether this message was sent since it was made.'
  WHERE status = 'pending' AND campaign_id IN (SELECT id FROM main.campaigns WHERE pause_reason = 'restored')`

/** Without knowing which calls were canceled since, none is made. */
export const NOBODY_CALLED = `UPDATE main.voice_calls SET status = 'failed', end_reason = 'restored', ended_at = :now
  WHERE status = 'scheduled'`

/** Receivers may have seen more attempts than the backup knows, and identify them by number. */
const DELIVERIES = [
  'UPDATE main.deliveries SET attempts = attempts + 10 WHERE next_attempt_at IS NOT NULL OR lease IS NOT NULL',
  `UPDATE main.delivery_attempts SET attempt = (SELECT d.attempts FROM main.deliveries d WHERE d.seq = delivery_seq)
    WHERE outcome = 'in_progress'`,
]

const DISCARDED_JOBS = `kind IN (${jobKindsThatAre('discarded')
  .map((kind) => `'${kind}'`)
  .join(', ')})`

const JOBS = [
  `UPDATE main.jobs SET state = 'canceled', lease_owner = NULL, error = 'A backup was restored.', ended_at = :now
    WHERE state IN ('waiting', 'running') AND ${DISCARDED_JOBS}`,
  `UPDATE main.job_lanes SET canceled = canceled + waiting + running, waiting = 0, running = 0, next_at = NULL
    WHERE ${DISCARDED_JOBS}`,
  `UPDATE main.ai_evaluation_runs SET status = 'failed', finished_at = :now,
     error = 'A backup was restored while this was running. Run it again.'
    WHERE status = 'running'`,
]

export const PAUSE_CAMPAIGNS = CAMPAIGNS.slice(0, 2)

export const HELD = [
  ...CAMPAIGNS.slice(2),
  ...DELIVERIES,
  ...JOBS,
  // The message may have been sent: its result is looked up, and it is not sent again.
  `UPDATE main.messages SET dispatch_started_at = COALESCE(dispatch_started_at, created_at)
    WHERE status = 'queued' AND direction = 'out'`,
  `UPDATE main.idempotency_keys SET state = 'unknown'
    WHERE state = 'in_progress' AND substr(subject_id, 1, 4) IN ('msg_', 'cmp_', 'ord_')`,
  'DELETE FROM main.safety_claims',
  `UPDATE main.ai_turns SET state = CASE state WHEN 'sending' THEN 'unknown' ELSE 'skipped' END, reason = 'restored',
     ended_at = :now WHERE ended_at IS NULL`,
  // The rest of a long answer may have been sent since.
  `UPDATE main.ai_conversations SET open_turn = NULL, rest = NULL, rest_turn = NULL,
     follow_up_at = CASE WHEN follow_up_at <= :now THEN NULL ELSE follow_up_at END
    WHERE open_turn IS NOT NULL OR follow_up_at IS NOT NULL OR rest IS NOT NULL`,
  `UPDATE main.crm_outbox SET failed_at = :now,
     error = 'A backup was restored. It may have reached the CRM before, so it is not added again.'
    WHERE failed_at IS NULL`,
  // Signed links may have ended since. They last only minutes, and people with access get new ones.
  `DELETE FROM main.meta WHERE substr(name, 1, ${LINK_KEY_OF.length}) = '${LINK_KEY_OF}'`,
  // Unfinished consents, which may have ended with the access of their creator.
  'DELETE FROM main.crm_states',
  "UPDATE main.crm_inbox SET state = 'failed', ended_at = :now WHERE state = 'waiting'",
  `UPDATE main.voice_calls SET status = 'failed', end_reason = 'restored', ended_at = :now
    WHERE status = 'scheduled' AND scheduled_at <= :now`,
  `UPDATE main.accounts SET instances_live =
     (SELECT COUNT(*) FROM main.instances i WHERE i.account_id = accounts.id AND i.deleted_at IS NULL)`,
]
