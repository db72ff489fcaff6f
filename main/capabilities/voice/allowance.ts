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
 * Why a call may not begin now. All but the first two end when another call ends: of the instance, of the account, or
 * of any account.
 */
export type NotNow =
  | 'voice_off'
  | 'trial_used_up'
  | 'trial_reserved'
  | 'channels_busy'
  | 'account_share_used'
  | 'all_lines_busy'

/** The owner of a call. */
type CallOwner = Pick<StoredCall, 'accountId' | 'instanceId'>

/**
 * Limits of concurrent calls, and the counts of the trial. Every running call that is not answered yet reserves a
 * trial call. Its row is the reservation, so a crash cannot lose one or leave one behind.
 */
export function createAllowance({ clock, timeZoneOf }: Pick<VoiceDeps, 'clock' | 'timeZoneOf'>) {
  return {
    /** Runs in the commit that begins the call. @returns null if it may begin. */
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

    /** Runs in the commit that records the answer of the call. */
    async count(tx: Tx, { instanceId }: Pick<StoredCall, 'instanceId'>): Promise<void> {
      await tx.run(useTrialCall, { instanceId, mostCalls: LIMITS.voiceTrialCalls })
    },

    /** Today's counted calls of a widget, and those that may still count. */
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
