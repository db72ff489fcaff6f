import type { Body } from '../../app/operation-types.ts'
import type { Agent, FollowUp, Settings } from './store.ts'

export interface RulesForm {
  hasHours: boolean
  start: string
  end: string
  days: number[]
  timezone: string
  debounce: number
  perHour: number
  pauseHours: number
  ignoreGroups: boolean
  /** `account`: uses the account's rule. */
  overLinked: 'account' | 'yes' | 'no'
  keywords: string[]
  handoffMessage: string
}

/** A day ends at the following midnight, which a time field cannot show. */
const shownEnd = (end: string) => (end === '24:00' ? '23:59' : end)
const USUAL = { start: '08:00', end: '18:00', days: [1, 2, 3, 4, 5] }
const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

export const rulesOf = (settings: Settings): RulesForm => {
  const hours = settings.business_hours ?? USUAL
  return {
    hasHours: settings.business_hours !== null,
    ...{ start: hours.start, end: shownEnd(hours.end), days: [...hours.days] },
    timezone: settings.timezone,
    debounce: settings.debounce_seconds,
    perHour: settings.max_replies_per_hour,
    pauseHours: Math.max(1, Math.round(settings.pause_on_human_minutes / 60)),
    ignoreGroups: settings.ignore_groups,
    overLinked:
      settings.answer_over_linked_number_source === 'account'
        ? 'account'
        : settings.answer_over_linked_number
          ? 'yes'
          : 'no',
    keywords: [...settings.handoff.keywords],
    handoffMessage: settings.handoff.message ?? '',
  }
}

/** @param saved its minutes are kept while the hours on screen are unchanged. */
export function rulesBody(form: RulesForm, saved: Settings): Body<'updateAiSettings'> {
  const isSamePause = form.pauseHours === rulesOf(saved).pauseHours
  return {
    business_hours: form.hasHours
      ? { start: form.start, end: form.end === '23:59' ? '24:00' : form.end, days: form.days.toSorted() }
      : null,
    timezone: form.timezone,
    debounce_seconds: form.debounce,
    max_replies_per_hour: form.perHour,
    pause_on_human_minutes: isSamePause ? saved.pause_on_human_minutes : form.pauseHours * 60,
    ignore_groups: form.ignoreGroups,
    answer_over_linked_number: form.overLinked === 'account' ? null : form.overLinked === 'yes',
    handoff: {
      keywords: [...new Set(form.keywords.map((word) => word.trim()).filter((word) => word !== ''))],
      message: orNull(form.handoffMessage),
    },
  }
}

/** Amounts as typed; empty means no limit. */
export interface BudgetForm {
  tokens: string
  cost: string
  inputPrice: string
  outputPrice: string
}

const shown = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value))
export const budgetOf = ({ limits, price }: Agent): BudgetForm => ({
  tokens: shown(limits.tokens_per_day),
  cost: shown(limits.cost_per_day_usd),
  inputPrice: shown(price?.input_per_million_usd),
  outputPrice: shown(price?.output_per_million_usd),
})

const amount = (text: string): number | null => (text.trim() === '' ? null : Number(text.replace(',', '.')))
const isAmount = (text: string) => {
  const value = amount(text)
  return value === null || (Number.isFinite(value) && value >= 0)
}

/** Fields with an invalid amount. A price needs both its parts. */
export function listInvalid(form: BudgetForm): readonly (keyof BudgetForm)[] {
  const tokens = amount(form.tokens)
  const half = (form.inputPrice.trim() === '') !== (form.outputPrice.trim() === '')
  const missing = form.inputPrice.trim() === '' ? 'inputPrice' : 'outputPrice'
  return [
    ...(isAmount(form.tokens) && (tokens === null || (Number.isInteger(tokens) && tokens > 0))
      ? []
      : (['tokens'] as const)),
    ...(isAmount(form.cost) && amount(form.cost) !== 0 ? [] : (['cost'] as const)),
    ...(isAmount(form.inputPrice) ? [] : (['inputPrice'] as const)),
    ...(isAmount(form.outputPrice) ? [] : (['outputPrice'] as const)),
    ...(half ? [missing as keyof BudgetForm] : []),
  ]
}

export function budgetBody(form: BudgetForm): Body<'updateAgent'> {
  const [input, output] = [amount(form.inputPrice), amount(form.outputPrice)]
  return {
    limits: { tokens_per_day: amount(form.tokens), cost_per_day_usd: amount(form.cost) },
    price: input === null || output === null ? null : { input_per_million_usd: input, output_per_million_usd: output },
  }
}

export interface FollowUpForm {
  enabled: boolean
  max: number
  /** Hours after the last message, for each follow-up in order. */
  delays: number[]
  hasQuietHours: boolean
  start: string
  end: string
  message: string
  template: string
  language: string
}

export const followUpOf = (saved: FollowUp): FollowUpForm => ({
  enabled: saved.enabled,
  max: saved.max_followups,
  delays: saved.delays_minutes.map((minutes) => Math.round((minutes / 60) * 100) / 100),
  hasQuietHours: saved.quiet_hours !== null,
  start: saved.quiet_hours?.start ?? '21:00',
  end: saved.quiet_hours?.end ?? '08:00',
  message: saved.message ?? '',
  template: saved.template?.name ?? '',
  language: saved.template?.language ?? '',
})

export const followUpBody = (form: FollowUpForm, isOfficial: boolean): Body<'updateFollowUp'> => ({
  enabled: form.enabled,
  max_followups: form.max,
  delays_minutes: form.delays.map((hours) => Math.max(1, Math.round(hours * 60))),
  quiet_hours: form.hasQuietHours ? { start: form.start, end: form.end } : null,
  message: orNull(form.message),
  ...(isOfficial && {
    template: form.template.trim() === '' ? null : { name: form.template.trim(), language: form.language.trim() },
  }),
})
