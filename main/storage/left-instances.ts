import { TRANSFERS_TO_REPEAT } from '../kernel/meta.ts'

/**
 * Instances that left their account since the backup. The account of the backup must not see what is written to their
 * numbers now. These statements need the time as `:now` and nothing else.
 */
export const LEFT_INSTANCES = [
  `CREATE TEMP TABLE moved AS SELECT i.id, p.account_id FROM main.instances i JOIN present.instances p ON p.id = i.id
    WHERE i.deleted_at IS NULL AND p.deleted_at IS NULL AND p.account_id <> i.account_id
      AND p.account_id IN (SELECT id FROM main.accounts WHERE deleted_at IS NULL)`,
  // Each room gives its part to the new owner: the service repeats the transfer when it starts.
  `INSERT OR REPLACE INTO main.meta (name, value)
    SELECT '${TRANSFERS_TO_REPEAT}', json_group_array(json_object('id', id, 'to', account_id)) FROM moved
    HAVING COUNT(*) > 0`,
  // It was deleted, or its new owner is not in the backup. Whoever wants it connects it again.
  `UPDATE main.instances SET status = 'disconnected', status_at = :now, logged_in = 0, phone_number = NULL,
     profile_name = NULL, will_retry = 0, next_retry_at = NULL, link_lost_at = NULL, down_at = NULL, qr_attempt = NULL,
     qr_expires_at = NULL, last_disconnect_reason = 'restored', disconnect_code = NULL, discard = 'wipe'
    FROM present.instances p WHERE p.id = instances.id AND instances.deleted_at IS NULL
      AND instances.status <> 'created' AND instances.id NOT IN (SELECT id FROM moved)
      AND (p.deleted_at IS NOT NULL OR p.account_id <> instances.account_id)`,
]
