import type {
  AccountAiSettings,
  AiSettings,
  FollowUp,
  UpdateAccountAiSettingsBody,
  UpdateAiSettingsBody,
  UpdateFollowUpBody,
} from '../../contract/ai-settings.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTimeOrNull } from '../../contract/request.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { requireTimeZone } from '../../kernel/time-zone.ts'
import { keyMissing } from '../ai-providers/index.ts'
import type { InstanceSubject } from '../handler.ts'
import { primaryAgent, type AgentRow } from './agent-store.ts'
import type { AiDeps } from './deps.ts'
import {
  accountRules,
  aiInstance,
  saveAccountRules,
  saveAiInstance,
  setRefused,
  type AiInstanceRow,
} from './settings-store.ts'

export type Settings = Omit<AiSettings, 'updated_at'>
export type FollowUpSettings = Omit<FollowUp, 'updated_at'>

type SettingsDeps = Pick<AiDeps, 'db' | 'clock' | 'providers' | 'config' | 'live'>

/** Words with which people ask for a person, in three languages. */
const KEYWORDS = ['atendente', 'falar com uma pessoa', 'hablar con una persona', 'human agent', 'talk to a person']

export type SettingsStore = ReturnType<typeof createSettings>

/** Settings that an instance has not set use the current default. */
export function createSettings({ db, clock, providers, config, live }: SettingsDeps) {
  const defaults: Settings = {
    ...{ enabled: false, timezone: config.safetyTimezone, business_hours: null, debounce_seconds: 6 },
    ...{ max_replies_per_hour: 30, pause_on_human_minutes: 720, ignore_groups: true },
    ...{ answer_over_linked_number: false, answer_over_linked_number_source: 'account' },
    handoff: { keywords: KEYWORDS, message: null },
  }
  const followUpDefaults: FollowUpSettings = {
    ...{ enabled: false, max_followups: 2, delays_minutes: [60, 1_440] },
    ...{ quiet_hours: { start: '21:00', end: '08:00' }, message: null, template: null },
  }

  /** @param overLinked rule of the account. */
  const settingsIn = (row: AiInstanceRow | undefined, overLinked: boolean): Settings => {
    // The contract checked it when it was stored.
    const own = JSON.parse(row?.settings ?? '{}') as Partial<Settings>
    const handoff = { ...defaults.handoff, ...own.handoff }
    const source = own.answer_over_linked_number === undefined ? 'account' : 'number'
    return {
      ...{ ...defaults, answer_over_linked_number: overLinked },
      ...{ ...own, handoff, enabled: row?.enabled === 1, answer_over_linked_number_source: source },
    }
  }
  const rulesOf = (read: Pick<Tx, 'one'>, accountId: string) => read.one(accountRules, { accountId })
  const isOverLinked = async (read: Pick<Tx, 'one'>, accountId: string | undefined): Promise<boolean> =>
    accountId !== undefined && (await rulesOf(read, accountId))?.overLinked === 1
  const outside = { one: db.readOne }
  const followUpIn = (row: AiInstanceRow | undefined): FollowUpSettings => ({
    ...followUpDefaults,
    ...(JSON.parse(row?.followUp ?? '{}') as Partial<FollowUpSettings>),
  })

  const rowOf = async (tx: Tx, { id: instanceId, accountId }: InstanceSubject): Promise<AiInstanceRow> =>
    (await tx.one(aiInstance, { instanceId })) ?? {
      ...{ instanceId, accountId, enabled: 0, settings: '{}', settingsAtMs: null, followUp: '{}', followUpAtMs: null },
    }

  return {
    async read(read: Pick<Tx, 'one'>, instanceId: string): Promise<Settings> {
      const row = await read.one(aiInstance, { instanceId })
      return settingsIn(row, await isOverLinked(read, row?.accountId))
    },
    readFollowUp: async (read: Pick<Tx, 'one'>, instanceId: string): Promise<FollowUpSettings> =>
      followUpIn(await read.one(aiInstance, { instanceId })),

    async get({ id: instanceId, accountId }: Pick<InstanceSubject, 'id' | 'accountId'>): Promise<AiSettings> {
      const row = await db.readOne(aiInstance, { instanceId })
      const settings = settingsIn(row, await isOverLinked(outside, accountId))
      return { ...settings, updated_at: isoTimeOrNull(row?.settingsAtMs ?? null) }
    },

    async ofAccount(accountId: AccountId): Promise<AccountAiSettings> {
      const rules = await rulesOf(outside, accountId)
      return {
        answer_over_linked_number: rules?.overLinked === 1,
        updated_at: isoTimeOrNull(rules?.updatedAtMs ?? null),
      }
    },
    async setRulesOf(
      accountId: AccountId,
      { answer_over_linked_number: isOver }: UpdateAccountAiSettingsBody,
    ): Promise<AccountAiSettings> {
      if (isOver !== undefined)
        await db.commit(async (tx) => {
          const changed = await tx.one(saveAccountRules, { accountId, overLinked: isOver ? 1 : 0, now: clock.now() })
          if (changed) tx.afterCommit(() => live.publish(accountId, { topic: 'ai' }))
        })
      return this.ofAccount(accountId)
    },

    /** @throws ApiError validation_error, provider_key_missing */
    async update(
      instance: InstanceSubject,
      { enabled, handoff, answer_over_linked_number: overLinked, ...body }: UpdateAiSettingsBody,
    ): Promise<AiSettings> {
      const timezone = body.timezone && requireTimeZone(body.timezone, 'timezone')
      return db.commit(async (tx) => {
        const row = await rowOf(tx, instance)
        if (enabled === true) await requireUsable(tx, instance.id)
        const { answer_over_linked_number: before, ...own } = JSON.parse(row.settings) as Partial<Settings>
        const isOver = overLinked === undefined ? before : (overLinked ?? undefined)
        const settings = {
          ...own,
          ...body,
          ...(isOver !== undefined && { answer_over_linked_number: isOver }),
          ...(timezone && { timezone }),
          ...(handoff && { handoff: { ...own.handoff, ...handoff } }),
        }
        const isEnabled = enabled === undefined ? row.enabled : enabled ? 1 : 0
        const changes = JSON.stringify(settings) !== row.settings || isEnabled !== row.enabled
        const settingsAtMs = changes ? clock.now() : row.settingsAtMs
        const next = { ...row, settings: JSON.stringify(settings), settingsAtMs, enabled: isEnabled } as const
        if (changes) await tx.run(saveAiInstance, next)
        if (enabled !== undefined) await tx.run(setRefused, { instanceId: instance.id, code: null, at: null })
        const shown = settingsIn(next, await isOverLinked(tx, instance.accountId))
        return { ...shown, updated_at: isoTimeOrNull(next.settingsAtMs) }
      })
    },

    async getFollowUp(instanceId: string): Promise<FollowUp> {
      const row = await db.readOne(aiInstance, { instanceId })
      return { ...followUpIn(row), updated_at: isoTimeOrNull(row?.followUpAtMs ?? null) }
    },

    /** @throws ApiError engine_mismatch */
    async updateFollowUp(instance: InstanceSubject, body: UpdateFollowUpBody): Promise<FollowUp> {
      if (body.template && !TRAITS[instance.engine].needsTemplates)
        throw new ApiError('engine_mismatch', 'template is only for official instances; others send message.').because(
          'template_needs_official',
        )
      return db.commit(async (tx) => {
        const row = await rowOf(tx, instance)
        const followUp = JSON.stringify({ ...(JSON.parse(row.followUp) as object), ...body })
        const changes = followUp !== row.followUp
        const next = { ...row, followUp, followUpAtMs: changes ? clock.now() : row.followUpAtMs }
        if (changes) await tx.run(saveAiInstance, next)
        return { ...followUpIn(next), updated_at: isoTimeOrNull(next.followUpAtMs) }
      })
    },

    requireUsable,
    requireKey,
  }

  /**
   * The primary agent must be able to answer. An instance without one is allowed, and its messages are not answered.
   * @throws ApiError provider_key_missing
   */
  async function requireUsable(tx: Tx, instanceId: string): Promise<void> {
    const agent = await tx.one(primaryAgent, { instanceId })
    if (agent !== undefined) await requireKey(tx, agent)
  }

  /** @throws ApiError provider_key_missing */
  async function requireKey(
    tx: Tx,
    { instanceId, provider }: Pick<AgentRow, 'instanceId' | 'provider'>,
  ): Promise<void> {
    if (provider === 'builtin' || (await providers.has(tx, instanceId, provider))) return
    throw keyMissing(provider)
  }
}
