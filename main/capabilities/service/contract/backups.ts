import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Nullable, Timestamp } from '../../../contract/shapes.ts'
import { ofOperators } from './parts.ts'

const BackupFile = Type.Object({
  name: Type.String(),
  made_at: Timestamp,
  reason: Type.String({
    description: '`manual`, `before-restore`, or `before-schema-…` for the backup made before an update.',
  }),
  bytes: Type.Integer(),
  state: Type.Enum(['usable', 'newer', 'foreign', 'unreadable'], {
    description:
      '`newer`: created by a later version. `foreign`: from another home folder, whose secrets cannot be decrypted here.',
  }),
})

const Backups = Type.Object({
  data: Type.Array(BackupFile),
  staged: Nullable(
    Type.Object(
      { name: Type.String(), asked_at: Timestamp },
      { description: 'The restore scheduled for the next start.' },
    ),
  ),
  restored: Nullable(
    Type.Object(
      {
        name: Type.String(),
        safety_copy: Nullable(
          Type.String({
            description:
              'Backup of the previous state, or the folder with its files if it was damaged; null if there was no ' +
              'database, or if the restore failed.',
          }),
        ),
        problem: Nullable(Type.String({ description: 'Why the restore failed. The previous state was kept.' })),
      },
      { description: 'The result of a restore at this start.' },
    ),
  ),
})
export type BackupsRecord = Static<typeof Backups>

const Since = Type.Integer({ minimum: 0 })
const RestorePreview = Type.Object({
  name: Type.String(),
  made_at: Timestamp,
  gone: Type.Object(
    {
      ...{ messages: Since, instances: Since, clients: Since, webhooks: Since, api_keys: Since, members: Since },
      ...{ contacts: Since, access_links: Since, ai_agents: Since, faq: Since, documents: Since, planned_calls: Since },
      ...{ voice_widgets: Since, crm_connections: Since },
    },
    { description: 'How many were created after the backup. They are not in it. What was changed since is as in it.' },
  ),
  kept: Type.Object(
    { opt_outs: Since, revocations: Since, payments: Since, transfers: Since },
    {
      description:
        'How many were added after the backup and stay. `revocations`: keys and access links that were revoked, members ' +
        'that were removed, and clients that were suspended. `transfers`: numbers given to another account.',
    },
  ),
  signed_out: Type.Integer({
    minimum: 0,
    description:
      'Numbers that were deleted since, or transferred to an account that is not in the backup. They come back signed out.',
  }),
  paused_campaigns: Type.Array(Type.Object({ campaign_id: Type.String(), name: Type.String() }), {
    description: 'Campaigns that stay paused until somebody resumes them. At most 50.',
  }),
})
export type RestorePreviewRecord = Static<typeof RestorePreview>

const BACKUPS_EXAMPLE: BackupsRecord = {
  data: [
    {
      name: 'switchboard-20260301T093000Z-manual.db',
      made_at: '2026-03-01T09:30:00.000Z',
      reason: 'manual',
      bytes: 1_048_576,
      state: 'usable',
    },
  ],
  staged: null,
  restored: null,
}

export const backupsContract = {
  createBackup: operation({
    ...ofOperators,
    id: 'createBackup',
    effects: [],
    method: 'POST',
    path: '/v1/service/backups',
    summary: 'Create a backup',
    description:
      'Copies the current database into the `backups` folder of the home folder and verifies the copy. The key ' +
      'that decrypts its secrets is not included; it stays in the vault.',
    reply: {
      status: 201,
      description: 'The backup.',
      schema: Type.Object({ file: Type.String({ description: 'Path of the file.' }), bytes: Type.Integer() }),
    },
    errors: ['storage_full', 'service_unavailable'],
    examples: {
      reply: {
        file: '/home/ada/.local/share/switchboard/backups/switchboard-20260301T093000Z-manual.db',
        bytes: 1_048_576,
      },
    },
  }),
  listBackups: operation({
    ...ofOperators,
    id: 'listBackups',
    effects: [],
    method: 'GET',
    path: '/v1/service/backups',
    summary: 'List backups',
    description:
      'The backups in the `backups` folder of the home folder, newest first, and whether each can be restored. A ' +
      'backup is verified when it is created and again before it is restored.',
    reply: { status: 200, description: 'The backups.', schema: Backups },
    errors: [],
    examples: { reply: BACKUPS_EXAMPLE },
  }),
  restoreBackup: operation({
    ...ofOperators,
    id: 'restoreBackup',
    effects: ['removal'],
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/backups/{name}/restore',
    summary: 'Restore a backup',
    description:
      'Verifies the backup and schedules it to replace the database at the next start. Nothing changes until then, ' +
      'and you can cancel. The current state is backed up first. Opt-outs, revocations, removed members, suspensions, ' +
      'payments, and what campaigns have sent are kept. Campaigns that sent since the backup stay paused. What was due in ' +
      'the backup is not sent again. `previewRestore` says what will be different.',
    confirm: 'always',
    reply: { status: 202, description: 'Scheduled for the next start.', schema: Backups },
    errors: ['confirmation_required', 'invalid_state', 'storage_full'],
    examples: {
      reply: {
        ...BACKUPS_EXAMPLE,
        staged: { name: 'switchboard-20260301T093000Z-manual.db', asked_at: '2026-03-02T08:00:00.000Z' },
      },
    },
  }),
  previewRestore: operation({
    ...ofOperators,
    id: 'previewRestore',
    effects: [],
    method: 'GET',
    path: '/v1/service/backups/{name}/restore',
    summary: 'Preview a restore',
    description: 'Compares the backup with the current database. Changes nothing.',
    reply: { status: 200, description: 'What will be different.', schema: RestorePreview },
    errors: ['invalid_state'],
    examples: {
      reply: {
        name: 'switchboard-20260301T093000Z-manual.db',
        made_at: '2026-03-01T09:30:00.000Z',
        gone: {
          ...{ messages: 412, instances: 2, clients: 0, webhooks: 1, api_keys: 0, members: 0, contacts: 14 },
          ...{ access_links: 0, ai_agents: 1, faq: 6, documents: 0, planned_calls: 2, voice_widgets: 0 },
          crm_connections: 0,
        },
        kept: { opt_outs: 3, revocations: 1, payments: 1, transfers: 1 },
        signed_out: 1,
        paused_campaigns: [{ campaign_id: 'cmp_01KE70EHG00WKWJAW8474FZSWS', name: 'March offer' }],
      },
    },
  }),
  cancelRestore: operation({
    ...ofOperators,
    id: 'cancelRestore',
    effects: [],
    method: 'DELETE',
    path: '/v1/service/restore',
    summary: 'Cancel a restore',
    description:
      'Cancels a scheduled restore: the next start uses the current database. Does nothing if no restore is ' +
      'scheduled.',
    reply: { status: 204, description: 'Canceled.', schema: null },
    errors: [],
    examples: {},
  }),
} as const satisfies Contract
