import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { CampaignConfig, CampaignRisk } from '../../contract/campaign.ts'
import type { CostTotals } from '../../contract/costs.ts'
import { countVariants, variablesOf } from '../../contract/campaign-text.ts'
import { CAREFUL_LIVE_DELAY, type Numbers } from './config.ts'
import type { Load } from './forecast.ts'
import { parseText, textsOf } from './render.ts'

/** The facts about a campaign on which its risks depend. */
interface Facts {
  readonly numbers: Numbers
  readonly config: CampaignConfig
  readonly messages: readonly CampaignMessage[]
  readonly people: number
  readonly load: readonly Load[]
  /** Number of people whom `skipIfContactedHours` would skip now. */
  readonly recentlyContacted: number
  readonly startsAtMs: number
  readonly endsAtMs: number | null
  /** null: no network charges for it. */
  readonly cost: CostTotals | null
}

const MANY_IDENTICAL = 50
const MONTH_MS = 30 * 24 * 3_600_000
const MOST_NAMES = 3

type Make = (code: string, field: string | null, message: string, params?: CampaignRisk['params']) => CampaignRisk

const of =
  (severity: CampaignRisk['severity']): Make =>
  (code, field, message, params = {}) => ({ code, severity, field, message, params })

export const error = of('error')
export const warning = of('warning')
const info = of('info')

/** Warnings to show before a campaign starts. */
export function risksOf(facts: Facts): CampaignRisk[] {
  return [
    ...ofConnections(facts),
    ...ofTime(facts),
    ...ofButtons(facts),
    ...ofRecentContacts(facts),
    ...ofBudget(facts),
    ...(facts.numbers.network === 'live'
      ? [...ofSpeed(facts), ...ofStrangers(facts), ...ofOfficial(facts), ...ofPortfolios(facts)]
      : []),
  ]
}

function ofConnections({ load }: Facts): CampaignRisk[] {
  const away = load.filter(({ isConnected }) => !isConnected).map(({ instance }) => instance.name)
  if (away.length === 0) return []
  if (away.length === load.length) {
    const message = 'None of the numbers is connected. The campaign waits until one is, and fails after 24 hours.'
    return [warning('no_instance', 'instance_ids', message)]
  }
  const names = named(away)
  const message = `Not connected: ${names}. The other numbers send its share.`
  return [warning('disconnected', 'instance_ids', message, { names, count: away.length })]
}

function ofTime({ config, people, startsAtMs, endsAtMs }: Facts): CampaignRisk[] {
  if (people === 0) return []
  if (endsAtMs === null)
    return [warning('too_slow', 'config', 'At this pace it takes more than a year. Add numbers or raise the limits.')]
  if (endsAtMs - startsAtMs < MONTH_MS) return []
  const days = Math.round((endsAtMs - startsAtMs) / (MONTH_MS / 30))
  const advice = config.dailyLimit === null ? 'Add numbers.' : 'Add numbers or raise dailyLimit.'
  return [warning('slow', 'config', `At this pace it takes ${days} days. ${advice}`, { days })]
}

function ofButtons({ messages, numbers }: Facts): CampaignRisk[] {
  const isMixed = numbers.engines.includes('smv2')
  const index = messages.findIndex(({ buttons, media_url: url }) => buttons && (isMixed || buttons.length > 3 || url))
  if (index < 0) return []
  const variation = index + 1
  const message = `The buttons of message ${variation} are sent as a numbered list.`
  return [info('buttons_as_text', 'messages', message, { variation })]
}

function ofSpeed({ config, numbers, messages, people }: Facts): CampaignRisk[] {
  if (!numbers.engines.includes('smv2')) return []
  const found: CampaignRisk[] = []
  if (config.minDelay < CAREFUL_LIVE_DELAY) {
    const message = `A delay below ${CAREFUL_LIVE_DELAY} seconds gets phone numbers banned. The default is 8 to 25 seconds.`
    found.push(warning('short_delay', 'config.minDelay', message, { seconds: CAREFUL_LIVE_DELAY }))
  }
  if (config.window === null) {
    const message = 'Messages also leave at night, which people report as spam. Set sending hours.'
    found.push(warning('any_time', 'config.window', message))
  }
  const [first] = messages
  if (people > MANY_IDENTICAL && messages.length === 1 && first !== undefined && isFixed(first)) {
    const message = 'Everybody gets the same text. Use {{name}}, options such as {Hi|Hello}, or several messages.'
    found.push(warning('identical', 'messages', message))
  }
  return found
}

function ofRecentContacts({ recentlyContacted: count, people, config: { skipIfContactedHours: hours } }: Facts) {
  if (count === 0 || hours === null) return []
  const message = `${count} of ${people} people got a message from one of these numbers in the last ${hours} hours. They are skipped if that is still so when their turn comes.`
  return [info('recently_contacted', 'config.skipIfContactedHours', message, { count, total: people, hours })]
}

const isFixed = (message: CampaignMessage): boolean =>
  textsOf(message)
    .map(parseText)
    .every((text) => variablesOf(text).length === 0 && countVariants(text) === 1)

function ofStrangers({ load, numbers, people }: Facts): CampaignRisk[] {
  if (!numbers.engines.includes('smv2')) return []
  const strangers = load.reduce((sum, { firstContacts }) => sum + firstContacts, 0)
  if (strangers === 0) return []
  const found = [
    warning(
      'first_contacts',
      null,
      `${strangers} of ${people} people have never exchanged a message with the number that writes to them. WhatsApp restricts numbers that write to many strangers. Only write to people who agreed to it.`,
      { count: strangers, total: people },
    ),
  ]
  const full = load.filter(({ firstContacts, firstContactsLeft: left }) => left !== null && firstContacts > left)
  if (full.length > 0) {
    const names = named(full.map(({ instance }) => instance.name))
    const message = `More new people than its limit for today: ${names}. The rest is sent on the following days.`
    found.push(info('first_contacts_limit', null, message, { names }))
  }
  return found
}

function ofOfficial({ messages, numbers }: Facts): CampaignRisk[] {
  if (!numbers.engines.includes('official')) return []
  const found = [info('meta_charges', null, 'Meta charges for messages from official numbers.')]
  if (!messages.every(({ cloud_api: payload }) => payload !== undefined && isTemplate(payload))) {
    const message = 'People who did not write to an official number in the last 24 hours only get approved templates.'
    found.push(warning('outside_window', 'messages', message))
  }
  return found
}

const isTemplate = (payload: object) => 'type' in payload && payload.type === 'template'

function ofBudget({ config: { budget }, cost }: Facts): CampaignRisk[] {
  const expected = cost?.costs.find(({ currency }) => currency === budget?.currency)?.amount_micros ?? 0
  if (budget === null || expected <= budget.amount_micros) return []
  const message = 'It is expected to cost more than its budget. It pauses when the budget is used up.'
  return [warning('over_budget', 'config.budget', message)]
}

/** The messaging limit of a portfolio is reported once for all its numbers. */
function ofPortfolios({ load }: Facts): CampaignRisk[] {
  const keys = new Set(load.flatMap(({ portfolio }) => portfolio?.key ?? []))
  return [...keys].flatMap((key) => {
    const mine = load.filter(({ portfolio }) => portfolio?.key === key)
    const { limit = null, left = null, opens = 0 } = mine[0]?.portfolio ?? {}
    if (limit === null || left === null || opens <= left) return []
    const names = named(mine.map(({ instance }) => instance.name))
    const message = `Meta lets ${names} reach ${limit} people in 24 hours, all numbers of their portfolio together, and ${left} are left. ${opens} people of this campaign count: they did not write in the last 24 hours. The campaign waits when the limit is used and continues automatically.`
    return [warning('messaging_limit', null, message, { names, limit, left, count: opens })]
  })
}

export const named = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
