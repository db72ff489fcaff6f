import type { AccountRefusal } from '../../contract/account-refusals.ts'
import { ApiError } from '../../contract/errors.ts'
import type { LineEventData } from '../../contract/line-events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import type { Messages } from '../messages/index.ts'
import type { CallSettings, CallSettingsPatch } from './contract.ts'
import { removeSettings, saveSettings, settingsOf, type SettingsRow } from './store.ts'

export interface CallsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly instances: Pick<Instances, 'accountOf' | 'subject' | 'engineFor' | 'subscribe'>
  readonly messages: Pick<Messages, 'sendDraft'>
  /** Why the account may not message people; null: it may. */
  readonly refusalOf: (accountId: AccountId) => Promise<AccountRefusal | null>
}

export interface Calls {
  read(instance: InstanceSubject): Promise<CallSettings>
  /** @throws ApiError validation_error */
  update(instance: InstanceSubject, patch: CallSettingsPatch): Promise<CallSettings>
  /** Handles a ringing call: rejects it if the instance is set to. Never throws. */
  onOffered(instanceId: InstanceId, call: LineEventData['call.offered']): Promise<void>
}

const DEFAULTS: SettingsRow = { reject: 0, message: null }
const toSettings = ({ reject, message }: SettingsRow): CallSettings => ({ reject: reject === 1, message })

/**
 * Linked devices cannot answer calls, so calls keep ringing or are rejected with a text. Suspended and frozen
 * accounts reject none.
 */
export function createCalls({ db, clock, log, instances, messages, refusalOf }: CallsDeps): Calls {
  instances.subscribe(async (tx, { kind, id }) => {
    if (kind === 'deleted') await tx.run(removeSettings, { instanceId: id })
  })

  async function rejectCall(id: InstanceId, call: LineEventData['call.offered']): Promise<void> {
    const settings = await db.readOne(settingsOf, { instanceId: id })
    if (settings?.reject !== 1) return
    const accountId = await instances.accountOf(id)
    const instance = accountId === undefined ? undefined : await instances.subject(accountId, id)
    if (instance === undefined || (await refusalOf(instance.accountId)) !== null) return
    await instances.engineFor(instance).direct?.rejectCall?.(instance, call.call_id)
    if (settings.message === null || call.group_id !== null) return
    const result = await messages.sendDraft({
      instance,
      draft: { kind: 'text', to: call.from, text: settings.message },
      operation: 'call settings',
      rawBody: () => ({ call_id: call.call_id }),
      // The network may report a call twice.
      idempotencyKey: `rejected call ${call.call_id}`,
      source: 'api',
    })
    if (result.kind === 'not_sent') throw result.error
  }

  return {
    read: async ({ id: instanceId }) => toSettings((await db.readOne(settingsOf, { instanceId })) ?? DEFAULTS),
    async update({ id: instanceId }, { reject, message }) {
      if (message?.isWellFormed() === false)
        throw new ApiError('validation_error', 'message contains a lone surrogate. Send well-formed Unicode.').because(
          'field_characters',
          { field: 'message' },
        )
      return db.commit(async (tx) => {
        const before = (await tx.one(settingsOf, { instanceId })) ?? DEFAULTS
        const after: SettingsRow = {
          reject: reject === undefined ? before.reject : reject ? 1 : 0,
          message: message === undefined ? before.message : message,
        }
        await tx.run(saveSettings, { instanceId, ...after, now: clock.now() })
        return toSettings(after)
      })
    },
    onOffered: (id, call) =>
      rejectCall(id, call).catch((error: unknown) =>
        log.warn({ event: 'call.not_rejected', instanceId: id, cause: cause(error) }),
      ),
  }
}
