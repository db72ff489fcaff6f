import type { CampaignCounts, CampaignStatus, CampaignSummary, PauseReason } from '../../../main/contract/campaign.ts'
import type { RecipientStatus } from '../../../main/contract/campaign-recipient.ts'

interface Style {
  readonly color: 'neutral' | 'info' | 'success' | 'warning' | 'error' | 'primary'
  readonly icon: string
}

export const CAMPAIGN_STYLES = {
  draft: { color: 'neutral', icon: 'i-lucide-pencil-line' },
  scheduled: { color: 'info', icon: 'i-lucide-calendar-clock' },
  running: { color: 'primary', icon: 'i-lucide-send' },
  paused: { color: 'warning', icon: 'i-lucide-circle-pause' },
  waiting: { color: 'warning', icon: 'i-lucide-hourglass' },
  completed: { color: 'success', icon: 'i-lucide-circle-check' },
  canceled: { color: 'neutral', icon: 'i-lucide-ban' },
  failed: { color: 'error', icon: 'i-lucide-circle-x' },
} as const satisfies Record<CampaignStatus | 'waiting', Style>

/** What the service can filter by. */
export const STATUSES = (Object.keys(CAMPAIGN_STYLES) as readonly (CampaignStatus | 'waiting')[]).filter(
  (status) => status !== 'waiting',
)

export const RECIPIENT_STYLES = {
  pending: { color: 'neutral', icon: 'i-lucide-clock' },
  sending: { color: 'info', icon: 'i-lucide-loader' },
  sent: { color: 'neutral', icon: 'i-lucide-check' },
  delivered: { color: 'info', icon: 'i-lucide-check-check' },
  read: { color: 'success', icon: 'i-lucide-eye' },
  failed: { color: 'error', icon: 'i-lucide-circle-alert' },
  skipped: { color: 'neutral', icon: 'i-lucide-skip-forward' },
  unknown: { color: 'warning', icon: 'i-lucide-circle-help' },
} as const satisfies Record<RecipientStatus, Style>

export const RECIPIENT_STATUSES = Object.keys(RECIPIENT_STYLES) as readonly RecipientStatus[]

/** How a pause ends: a person resumes the campaign, or it continues automatically. */
const ENDED_BY = {
  user: 'person',
  error_threshold: 'person',
  app_offline: 'person',
  restored: 'person',
  template: 'person',
  payment: 'person',
  number: 'person',
  outside_window: 'itself',
  no_instance: 'itself',
  restricted: 'itself',
  quality: 'itself',
  messaging_limit: 'itself',
  utility_templates: 'itself',
  budget: 'itself',
  account_suspended: 'itself',
} as const satisfies Record<PauseReason, 'person' | 'itself'>

export const resumesAutomatically = (reason: PauseReason | null): boolean =>
  reason !== null && ENDED_BY[reason] === 'itself'

/**
 * The state in people's terms: a campaign that will continue automatically is waiting; only one that a person must
 * resume is paused.
 */
export const shownStatusOf = ({
  status,
  pause_reason,
}: Pick<CampaignSummary, 'status' | 'pause_reason'>): CampaignStatus | 'waiting' =>
  status === 'paused' && resumesAutomatically(pause_reason) ? 'waiting' : status

export interface CampaignActions {
  readonly canEdit: boolean
  readonly canPause: boolean
  readonly canResume: boolean
  readonly canCancel: boolean
  readonly canTest: boolean
  readonly canDelete: boolean
}

/** Actions that are currently possible. */
export function actionsOf({ status, pause_reason }: Pick<CampaignSummary, 'status' | 'pause_reason'>): CampaignActions {
  const isLive = status === 'running' || status === 'paused'
  return {
    canEdit: status === 'draft',
    canPause: status === 'running' || (status === 'paused' && resumesAutomatically(pause_reason)),
    canResume: status === 'paused' && !resumesAutomatically(pause_reason),
    canCancel: isLive || status === 'scheduled',
    canTest: isLive || status === 'scheduled' || status === 'draft',
    canDelete: status === 'draft',
  }
}

/** Number of finished recipients. */
export const doneOf = ({ total, pending }: CampaignCounts): number => total - pending

/** Share in percent for display: never 0 after the start, and never 100 before the end. */
export function percentOf(part: number, whole: number): number {
  if (whole === 0 || part === 0) return 0
  if (part >= whole) return 100
  return Math.min(99, Math.max(1, Math.round((part / whole) * 100)))
}

/** Parts of the progress bar in order; together with `pending` they add up to the total. */
export const barOf = ({ total, read, delivered, sent, failed, skipped, unknown }: CampaignCounts) =>
  [
    { name: 'read', count: read, tone: 'bg-success' },
    { name: 'delivered', count: delivered - read, tone: 'bg-primary' },
    { name: 'sent', count: sent - delivered, tone: 'bg-info' },
    { name: 'skipped', count: skipped, tone: 'bg-inverted/40' },
    { name: 'unknown', count: unknown, tone: 'bg-warning' },
    { name: 'failed', count: failed, tone: 'bg-error' },
  ]
    .filter(({ count }) => count > 0)
    .map((part) => ({ ...part, width: total === 0 ? 0 : (part.count / total) * 100 }))
