import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { VoiceSettings, VoiceSettingsPatch, VoiceStatus } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { requireTimeZone } from '../../kernel/time-zone.ts'
import type { InstanceSubject } from '../handler.ts'
import { channelsOf } from './call-store.ts'
import type { VoiceOverview } from './contract/console.ts'
import type { VoiceDeps } from './deps.ts'
import type { RouteKind, Routes } from './routes.ts'
import {
  countPackages,
  insertSetup,
  saveSettings,
  setPlan,
  setupOf,
  setupsOfAccount,
  type VoicePlan,
} from './setup-store.ts'

const DEFAULTS: VoiceSettings = {
  summary_enabled: true,
  summary_emails: [],
  coach_enabled: false,
  receive_enabled: false,
  receive_agent_id: null,
  announcement: null,
  calling_hours: null,
  keep_recordings_days: null,
}

/** The voice setup of an instance. */
export interface Setup {
  readonly plan: VoicePlan | null
  readonly trialUsed: number
  readonly settings: VoiceSettings
}

type Read = Pick<Tx, 'one'>

export async function readSetup(read: Read, instanceId: string): Promise<Setup> {
  const row = await read.one(setupOf, { instanceId })
  // This room stored it from a validated body.
  const stored = row === undefined ? {} : (JSON.parse(row.settings) as Partial<VoiceSettings>)
  return { plan: row?.plan ?? null, trialUsed: row?.trialUsed ?? 0, settings: { ...DEFAULTS, ...stored } }
}

export const remainingOf = ({ plan, trialUsed }: Pick<Setup, 'plan' | 'trialUsed'>): number | null =>
  plan === 'package' ? null : Math.max(0, LIMITS.voiceTrialCalls - trialUsed)

interface SetupDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'agents' | 'packages'> {
  readonly routes: Pick<Routes, 'availability' | 'way'>
}

/** Whether an instance may call, how often, and its settings. */
export function createSetup({ db, clock, agents, packages, routes }: SetupDeps) {
  const outside: Read = { one: db.readOne }

  async function status(instance: InstanceSubject): Promise<VoiceStatus> {
    const { id: instanceId } = instance
    const setup = await readSetup(outside, instanceId)
    const availability = await routes.availability(instance)
    return {
      voice_available: availability.gateway !== null,
      enabled: setup.plan !== null,
      unlimited: setup.plan === 'package',
      remaining: remainingOf(setup),
      channels: LIMITS.voiceChannels,
      active_calls: (await db.readOne(channelsOf, { instanceId }))?.calls ?? 0,
      gateway: availability.gateway,
      unavailable_reason: availability.reason,
      unavailable_message: availability.message,
      settings: setup.settings,
    }
  }

  async function ensureRow(tx: Tx, { id: instanceId, accountId }: InstanceSubject): Promise<void> {
    await tx.run(insertSetup, { instanceId, accountId, settings: '{}', now: clock.now() })
  }

  return {
    status,
    read: (instanceId: string) => readSetup(outside, instanceId),

    /** All instances of an account. An instance without a row has never used voice. */
    async overview(accountId: AccountId): Promise<VoiceOverview> {
      const rows = await db.read(setupsOfAccount, { accountId })
      const wayOf = (kind: RouteKind) => {
        const { gateway, reason } = routes.way(kind)
        return { gateway, unavailable_reason: reason }
      }
      return {
        data: rows.map(({ instanceId, plan, trialUsed, hasTrunk, widgets }) => ({
          instance_id: instanceId,
          ...{ enabled: plan !== null, unlimited: plan === 'package', remaining: remainingOf({ plan, trialUsed }) },
          ...{ has_trunk: hasTrunk === 1, widgets },
        })),
        ways: {
          ...{ sandbox: wayOf('sandbox'), sip: wayOf('sip') },
          ...{ smv2: wayOf('smv2'), official: wayOf('official') },
        },
      }
    },

    /** @throws ApiError no_free_slot if every slot of the package is taken */
    async enable(instance: InstanceSubject): Promise<VoiceStatus> {
      const { id: instanceId, accountId } = instance
      const slots = await packages(accountId)
      await db.commit(async (tx) => {
        const { plan } = await readSetup(tx, instanceId)
        if (plan === 'package') return
        if (plan === 'trial' && slots === 0) return
        const used = (await tx.one(countPackages, { accountId }))?.count ?? 0
        if (slots > 0 && used >= slots) {
          throw new ApiError(
            'no_free_slot',
            `All ${slots} slots of your voice package are in use. Buy another one, or delete an instance that uses one.`,
          ).because('voice_slots_full', { n: slots })
        }
        await ensureRow(tx, instance)
        await tx.run(setPlan, { instanceId, plan: slots > 0 ? 'package' : 'trial', now: clock.now() })
      })
      return status(instance)
    },

    /** @throws ApiError not_found, validation_error */
    async update(instance: InstanceSubject, patch: VoiceSettingsPatch): Promise<VoiceSettings> {
      const { calling_hours: hours, receive_agent_id: agentId, announcement } = patch
      const sound = { ...patch, ...(hours && { calling_hours: soundHours(hours) }) }
      if (announcement?.isWellFormed() === false)
        throw new ApiError(
          'validation_error',
          'announcement contains a lone surrogate. Send well-formed Unicode.',
        ).because('field_characters', { field: 'announcement' })
      if (agentId && (await agents.find(instance.accountId, instance.id, agentId)) === undefined)
        throw new ApiError(
          'not_found',
          `receive_agent_id names ${agentId}, which is not an agent of this instance.`,
        ).because('chosen_gone', { field: 'receive_agent_id' })
      return db.commit(async (tx) => {
        await ensureRow(tx, instance)
        const { settings } = await readSetup(tx, instance.id)
        const changed = { ...settings, ...sound }
        await tx.run(saveSettings, {
          instanceId: instance.id,
          settings: JSON.stringify(changed),
          now: clock.now(),
        })
        return changed
      })
    },
  }
}

export type VoiceSetup = ReturnType<typeof createSetup>

type CallingHours = NonNullable<VoiceSettings['calling_hours']>

/** @throws ApiError validation_error */
function soundHours(hours: CallingHours): CallingHours {
  if (hours.end === hours.start)
    throw new ApiError(
      'validation_error',
      'calling_hours.start and calling_hours.end are the same. For the whole day use 00:00 and 24:00.',
    ).because('hours_order')
  return { ...hours, timezone: requireTimeZone(hours.timezone, 'calling_hours.timezone') }
}
