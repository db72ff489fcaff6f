import type { Migration } from '../migrate.ts'

/** Passwords belong to people: only the operator's account still has one. */
export const sharedPasswords: Migration = {
  version: 36,
  name: 'shared-passwords',
  sql: `
-- Until now, any member could set one password for the whole account of a client, and still sign in with it after they
-- were removed. So that nobody is locked out, such a password becomes a row of members: it keeps working, the operator
-- sees it beside the people, nobody can change it, and it ends when it or any other member is removed. One that a member
-- who was removed since may know (the log of changes says so) is dropped: members sign in with their own password or
-- with a new link. id and email are the id of the account: no person has it.
ALTER TABLE members ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1));
INSERT INTO members (id, account_id, name, email, password_salt, password_hash, password_cost, is_shared, created_at)
  SELECT p.account_id, p.account_id, 'Shared password', p.account_id, p.salt, p.hash, p.cost, 1, p.set_at
    FROM console_passwords p JOIN accounts a ON a.id = p.account_id
   WHERE a.deleted_at IS NULL
     AND p.account_id <> COALESCE((SELECT value FROM meta WHERE name = 'operator_account'),
                                  (SELECT MIN(id) FROM accounts))
     AND NOT EXISTS (SELECT 1 FROM audit_log l
                      WHERE l.account_id = p.account_id AND l.operation = 'removeMember' AND l.at >= p.set_at);
UPDATE console_sessions SET member_id = account_id
 WHERE role = 'member' AND member_id IS NULL AND account_id IN (SELECT id FROM members WHERE is_shared = 1);
DELETE FROM console_sessions WHERE role = 'member' AND member_id IS NULL;
DELETE FROM console_passwords
 WHERE account_id <> COALESCE((SELECT value FROM meta WHERE name = 'operator_account'),
                              (SELECT MIN(id) FROM accounts));
`,
}
