import { TRANSFERS_TO_REPEAT } from '../kernel/meta.ts'

/**
 * Instances that left their account since the backup. The backup's account must not see messages to their numbers.
 * These statements need only the time as `:now`.
 */
export const LEFT_INSTANCES = [
  'DROP TABLE IF EXISTS temp.owners',
  // An earlier restore may have left a transfer that still has to be repeated.
  `CREATE TEMP TABLE owners AS SELECT p.id, p.deleted_at, COALESCE(
     (SELECT json_extract(t.value, '$.to') FROM present.meta m, json_each(m.value) t
       WHERE m.name = '${TRANSFERS_TO_REPEAT}' AND json_extract(t.value, '$.id') = p.id), p.account_id) AS account_id
    FROM present.instances p`,
  'CREATE TEMP TABLE IF NOT EXISTS moved (id PRIMARY KEY, account_id)',
  `INSERT OR REPLACE INTO moved SELECT i.id, o.account_id FROM main.instances i JOIN owners o ON o.id = i.id
    WHERE i.deleted_at IS NULL AND o.deleted_at IS NULL AND o.account_id <> i.account_id
      AND o.account_id IN (SELECT id FROM main.accounts WHERE deleted_at IS NULL)`,
  // Each room moves its own data to the new owner: the service repeats the transfer when it starts.
  `DELETE FROM main.meta WHERE name = '${TRANSFERS_TO_REPEAT}'`,
  `INSERT INTO main.meta (name, value)
    SELECT '${TRANSFERS_TO_REPEAT}', json_group_array(json_object('id', id, 'to', account_id)) FROM moved
    HAVING COUNT(*) > 0`,
  // It was deleted, or its new owner is missing from the backup: it is signed out and has to be connected again.
  `UPDATE main.instances SET status = 'disconnected', status_at = :now, logged_in = 0, phone_number = NULL,
     profile_name = NULL, will_retry = 0, next_retry_at = NULL, link_lost_at = NULL, down_at = NULL, qr_attempt = NULL,
     qr_expires_at = NULL, last_disconnect_reason = 'restored', disconnect_code = NULL, discard = 'wipe'
    FROM owners o WHERE o.id = instances.id AND instances.deleted_at IS NULL
      AND instances.status <> 'created' AND instances.id NOT IN (SELECT id FROM moved)
      AND (o.deleted_at IS NOT NULL OR o.account_id <> instances.account_id)`,
]
