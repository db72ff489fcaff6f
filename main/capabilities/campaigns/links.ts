import type { InstanceStatus } from '../../contract/shapes.ts'
import type { PauseReason } from '../../contract/campaign.ts'
import type { EngineInstance, Evidence, Hold } from '../../engines/engine.ts'
import type { TemplateSuspension } from '../../engines/templates.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { CampaignsDeps } from './deps.ts'

/** Whether a number can send: now, in a moment, or not before somebody does something. */
type LinkState = 'up' | 'coming' | 'down'

const STATES = {
  connected: 'up',
  connecting: 'coming',
  recreating: 'down',
  created: 'down',
  qr: 'down',
  disconnected: 'down',
  auth_failed: 'down',
  passkey_required: 'down',
} as const satisfies Record<InstanceStatus, LinkState>

export interface NumberState {
  readonly instance: KnownInstance | undefined
  readonly link: LinkState
  /** Until when it may only write to people it knows. */
  readonly restrictedUntilMs: number | null
  /** Why it sends no campaign messages at the moment. */
  readonly hold: Hold | null
  /** Campaigns with utility templates wait as well. */
  readonly suspension: TemplateSuspension | null
}

/** Why a number sends nothing of a campaign at the moment. */
export interface CampaignHold {
  readonly reason: Hold['reason'] | 'utility_templates'
  readonly untilMs: number | null
}

const FREE = { hold: null, suspension: null } as const
const NO_EVIDENCE: Pick<Evidence, 'hold' | 'utilitySuspension'> = {}

/** When a network does not say how long a restriction lasts, it is looked at again after this. */
const LOOK_AGAIN_MS = 3_600_000

/** The state of a number, as the instances room and its engine know it at this moment. */
export function createNumberStates({ instances, clock }: Pick<CampaignsDeps, 'instances' | 'clock'>) {
  return async function numberState(
    read: Pick<Tx, 'one'>,
    accountId: AccountId,
    instanceId: InstanceId,
  ): Promise<NumberState> {
    const instance = await instances.find(read, accountId, instanceId)
    if (instance === undefined) return { instance, link: 'down', restrictedUntilMs: null, ...FREE }
    const { id, engine, network, status } = instance
    const evidence = evidenceOf({ id, accountId, engine, network })
    const restriction = evidence?.restriction ?? null
    const restrictedUntilMs = restriction === null ? null : (restriction.untilMs ?? clock.now() + LOOK_AGAIN_MS)
    const { hold = null, utilitySuspension: suspension = null } = evidence ?? NO_EVIDENCE
    return { instance, link: STATES[status], restrictedUntilMs, hold, suspension }
  }

  function evidenceOf(instance: EngineInstance): Evidence | null {
    try {
      return instances.engineFor(instance).evidence(instance)
    } catch {
      // This build has no such engine, so the number cannot send either.
      return null
    }
  }
}

/** The pause reason of a campaign whose last usable number is held. */
export const PAUSED_BY = {
  payment: 'payment',
  spam: 'quality',
  policy: 'restricted',
  display_name: 'number',
  registration: 'number',
  pin: 'number',
  utility_templates: 'utility_templates',
} as const satisfies Record<CampaignHold['reason'], PauseReason>

export type NumberStates = ReturnType<typeof createNumberStates>
