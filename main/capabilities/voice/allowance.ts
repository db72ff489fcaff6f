import { LIMITS } from '../../contract/limits.ts'
import type { Gateway } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import { mayTake } from '../../kernel/fair-share.ts'
import { dayOf } from '../../kernel/time-zone.ts'
import { answeredOfWidget, callsAtOnce, channelsOf, type StoredCall, unansweredOfWidget } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { type StoredWidget, useTrialCall } from './setup-store.ts'
import { readSetup } from './setup.ts'

type Read = Pick<Tx, 'one'>

/**
 * Why a call may not begin now. All but the first two pass when a call ends: of the instance, of the account, or of
 * whichever account.
 */
export type NotNow =
  | 'voice_off'
  | 'trial_used_up'
  | 'trial_reserved'
  | 'channels_busy'
  | 'account_share_used'
  | 'all_lines_busy'

/** Whose call it is. */
type CallOwner = Pick<StoredCall, 'accountId' | 'instanceId'>

/**
 * How many calls may run, and which are counted. Every call that runs and is not answered yet reserves a call of the
 * trial: its row is the reservation, so a crash cannot lose one or leave one behind.
 */
export function createAllowance({ clock, timeZoneOf }: Pick<VoiceDeps, 'clock' | 'timeZoneOf'>) {
  return {
    /** In the commit that begins the call. @returns null: it may begin. */
    async refusal(tx: Read, { accountId, instanceId }: CallOwner, gateway: Gateway): Promise<NotNow | null> {
      const { plan, trialUsed } = await readSetup(tx, instanceId)
      if (plan === null) return 'voice_off'
      if (plan === 'trial' && trialUsed >= LIMITS.voiceTrialCalls) return 'trial_used_up'
      const { calls = 0, widgetCalls = 0, unanswered = 0 } = (await tx.one(channelsOf, { instanceId })) ?? {}
      const isBusy = gateway === 'widget' ? widgetCalls >= LIMITS.voiceWidgetChannels : calls >= LIMITS.voiceChannels
      if (isBusy) return 'channels_busy'
      const { inAll = 0, ofAccount = 0 } = (await tx.one(callsAtOnce, { accountId })) ?? {}
      if (inAll >= LIMITS.voiceCalls) return 'all_lines_busy'
      if (!mayTake({ inAll: LIMITS.voiceCalls, used: inAll, held: ofAccount })) return 'account_share_used'
      return plan === 'trial' && trialUsed + unanswered >= LIMITS.voiceTrialCalls ? 'trial_reserved' : null
    },

    /** In the commit that says that the call was answered. */
    async count(tx: Tx, { instanceId }: Pick<StoredCall, 'instanceId'>): Promise<void> {
      await tx.run(useTrialCall, { instanceId, mostCalls: LIMITS.voiceTrialCalls })
    },

    /** Calls of a widget that were counted today, and those that may still be. */
    async ofWidget(read: Read, { id: widgetId, accountId, instanceId }: StoredWidget) {
      const { startMs: sinceMs } = dayOf(clock.now(), await timeZoneOf(read, accountId))
      return {
        usedToday: (await read.one(answeredOfWidget, { widgetId, sinceMs }))?.count ?? 0,
        reserved: (await read.one(unansweredOfWidget, { instanceId, widgetId }))?.count ?? 0,
      }
    },
  }
}

export type Allowance = ReturnType<typeof createAllowance>
