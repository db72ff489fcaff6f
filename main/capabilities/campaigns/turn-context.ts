import type { Tx } from '../../kernel/db.ts'
import type { BudgetLimits } from '../costs/index.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { CountryRefusals } from './country-refusals.ts'
import type { CampaignsDeps } from './deps.ts'
import type { NumberStates } from './links.ts'
import type { Recipient } from './recipient-store.ts'
import type { CampaignState } from './state.ts'
import type { Lane, StoredCampaign } from './store.ts'
import type { TemplateCategories } from './template-categories.ts'

export interface TurnDeps extends Pick<
  CampaignsDeps,
  'clock' | 'log' | 'safety' | 'optOuts' | 'messages' | 'config' | 'isSuspended' | 'instances' | 'costs'
> {
  readonly templates: Pick<TemplateCategories, 'known' | 'utilityHold'>
  readonly countries: Pick<CountryRefusals, 'has'>
  readonly numberState: NumberStates
  readonly state: CampaignState
}

/** One step of one number of a campaign, in the commit that decides it. */
export interface TurnContext {
  readonly tx: Tx
  readonly campaign: StoredCampaign
  readonly lane: Lane
  readonly lanes: readonly Lane[]
  readonly instance: KnownInstance
  readonly now: number
  readonly canCheck: boolean
  readonly restrictedUntilMs: number | null
  /** null: no network charges for its messages. */
  readonly spending: Spending | null
  readonly most: number
}

interface Spending {
  readonly limits: BudgetLimits
  readonly categories: ReadonlyMap<string, string>
}

/** A recipient that is being sent to. */
export interface Claimed {
  readonly recipient: Recipient
  readonly variation: number
  /** The number as the network writes it. */
  readonly to: string
}
