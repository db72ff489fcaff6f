import { Type, type Static } from 'typebox'
import type { Accounts } from '../capabilities/account/index.ts'
import type { Instances } from '../capabilities/instances/index.ts'
import type { ServiceRoom } from '../capabilities/service/index.ts'
import { APPROVAL_POLICIES } from '../contract/approval.ts'
import { ApiError } from '../contract/errors.ts'
import { SessionPassphrase } from '../contract/instance.ts'
import { LIMITS } from '../contract/limits.ts'
import { isoTimeOrNull } from '../contract/request.ts'
import { ACCEPTED_SCOPES } from '../contract/scopes.ts'
import { Body, Nullable } from '../contract/shapes.ts'
import type { AccountId } from '../kernel/ids.ts'
import type { ControlRequest } from './control.ts'
import { asApiError } from './failure.ts'
import { createCheck } from './validation.ts'

const NewKey = Body({
  name: Type.String({ minLength: 1, maxLength: LIMITS.keyNameLength }),
  scopes: Type.Array(Type.Enum([...ACCEPTED_SCOPES]), { minItems: 1, uniqueItems: true }),
  allowed_instance_ids: Nullable(Type.Array(Type.String(), { minItems: 1, uniqueItems: true })),
  approval: Type.Optional(Type.Enum([...APPROVAL_POLICIES])),
})
const checkNewKey = createCheck('body', NewKey)

const BackupName = Body({ name: Type.String() })
const checkBackupName = createCheck('body', BackupName)

/** @throws ApiError validation_error */
export function backupNameIn(input: unknown): string {
  checkBackupName(input)
  return (input as Static<typeof BackupName>).name
}

const KeyName = Body({ id: Type.String() })
const checkKeyName = createCheck('body', KeyName)

const Upload = Body({ instance: Type.String(), upload: Type.String() })
const checkUpload = createCheck('body', Upload)

const Export = Body({ instance: Type.String(), passphrase: SessionPassphrase })
const checkExport = createCheck('body', Export)

async function* once(text: string) {
  yield Buffer.from(text)
}

interface CommandDeps {
  readonly accounts: Accounts
  readonly accountId: AccountId
  /** null if no service is running: instances cannot connect then. */
  readonly instances: Pick<Instances, 'subject' | 'moving' | 'readSession'> | null
  readonly copies: Pick<ServiceRoom, 'backUp' | 'backups' | 'stageRestore' | 'describeRestore'>
  readonly newConsoleAddress: () => string | null
  /** Facts about the running service; null if the home was opened only for this command. */
  readonly facts: () => object | null
}

/**
 * The commands of the command line, for a running service or one opened only for the command. The caller is always
 * the user who owns the home folder, so no API key is checked.
 */
export function createCommands({
  accounts,
  accountId,
  instances,
  copies,
  newConsoleAddress,
  facts,
}: CommandDeps): (request: ControlRequest) => Promise<unknown> {
  const commands: Record<string, (input: unknown) => Promise<unknown>> = {
    'keys.create': async (input) => {
      checkNewKey(input)
      const {
        name,
        scopes,
        allowed_instance_ids: allowedInstanceIds,
        approval = 'none',
      } = input as Static<typeof NewKey>
      const made = await accounts.createKey({
        accountId,
        name,
        scopes,
        allowedInstanceIds,
        approval,
        expiresAtMs: null,
        createdBy: 'operator',
      })
      return {
        ...{ id: made.id, key: made.key.open(), name },
        ...{ scopes: made.scopes, allowed_instance_ids: made.allowedInstanceIds },
      }
    },
    'keys.list': async () => {
      const keys = await accounts.listKeys(accountId)
      return {
        data: keys.map((key) => ({
          id: key.id,
          name: key.name,
          last4: key.last4,
          scopes: key.scopes,
          approval: key.approval,
          allowed_instance_ids: key.allowedInstanceIds,
          expires_at: isoTimeOrNull(key.expiresAtMs),
          last_used_at: isoTimeOrNull(key.lastUsedAtMs),
          revoked_at: isoTimeOrNull(key.revokedAtMs),
        })),
      }
    },
    'keys.revoke': async (input) => {
      checkKeyName(input)
      await accounts.revokeKey(accountId, (input as Static<typeof KeyName>).id)
      return {}
    },
    'backup.create': async () => copies.backUp(),
    'backup.list': async () => copies.backups(),
    'restore.stage': async (input) => {
      await copies.stageRestore(backupNameIn(input))
      return { running: facts() !== null }
    },
    'restore.preview': async (input) => copies.describeRestore(backupNameIn(input)),
    'restore.outcome': async () => copies.backups().restored,
    'session.import': async (input) => {
      checkUpload(input)
      const { instance, upload } = input as Static<typeof Upload>
      const { room, id } = await instanceOf(instance)
      const { number } = await room.moving.importSession(id, await room.readSession(accountId, once(upload)))
      return { phone_number: number }
    },
    'session.export': async (input) => {
      checkExport(input)
      const { instance, passphrase } = input as Static<typeof Export>
      const { room, id } = await instanceOf(instance)
      return { session: await room.moving.exportSession(id, passphrase) }
    },
    'doctor.facts': async () => facts(),
    'console.address': async () => ({ console_url: newConsoleAddress() }),
  }
  async function instanceOf(wanted: string) {
    const found = await instances?.subject(accountId, wanted)
    if (!instances || !found || found.deleted) throw new ApiError('not_found', 'There is no instance with this id.')
    return { room: instances, id: found.id }
  }

  return async ({ command, input }) => {
    const carryOut = Object.hasOwn(commands, command) ? commands[command] : undefined
    if (carryOut === undefined) throw new ApiError('not_found', `Unknown command: ${command}.`)
    try {
      return await carryOut(input)
    } catch (error) {
      throw asApiError(error) ?? error
    }
  }
}
