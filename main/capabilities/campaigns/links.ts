import type { InstanceStatus } from '../../contract/shapes.ts'
import type { PauseReason } from '../../contract/campaign.ts'
import type { EngineInstance, Evidence, Hold } from '../../engines/engine.ts'
import type { TemplateSuspension } from '../../engines/templates.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { CampaignsDeps } from './deps.ts'

/** Whether a number can send: now, soon, or only after somebody acts. */
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
  /** Until then it may write only to known contacts. */
  readonly restrictedUntilMs: number | null
  /** Why it cannot send campaign messages now. */
  readonly hold: Hold | null
  /** Also delays campaigns with utility templates. */
  readonly suspension: TemplateSuspension | null
}

/** Why a number cannot send messages of a campaign now. */
export interface CampaignHold {
  readonly reason: Hold['reason'] | 'utility_templates'
  readonly untilMs: number | null
}

const FREE = { hold: null, suspension: null } as const
const NO_EVIDENCE: Pick<Evidence, 'hold' | 'utilitySuspension'> = {}

/** A restriction without a known end is checked again after this time. */
const LOOK_AGAIN_MS = 3_600_000

/** The current state of a number, according to the instances room and its engine. */
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
      // This build lacks the engine, so the number cannot send.
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
