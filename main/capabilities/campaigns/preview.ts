import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { CampaignConfig, CampaignRisk } from '../../contract/campaign.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Principal } from '../../kernel/access.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { Remaining } from '../safety/index.ts'
import type { Access, Found } from './access.ts'
import { completeConfig, type Numbers } from './config.ts'
import { createCategoryChanges, risksOfChanges } from './category-changes.ts'
import { createCostEstimate } from './cost.ts'
import type { PreviewCampaignBody, PreviewReply } from './contract/preview.ts'
import { totalsOf } from './counts.ts'
import { readTime } from './create.ts'
import type { CampaignsDeps } from './deps.ts'
import { forecast, type Load } from './forecast.ts'
import type { ListReader } from './lists.ts'
import type { NumberStates } from './links.ts'
import { requireMessages, requireShortPayloads, unknownVariables } from './messages.ts'
import { requireUploads } from './uploads.ts'
import { recipientsByStatus } from './recipient-store.ts'
import { emptyTally, refuse, type Tally } from './recipients.ts'
import { interactivePayload } from '../../engines/official/interactive.ts'
import { faultOf, longestMessage, renderMessage, type RenderedMessage } from './render.ts'
import { createFaultTally } from './faults.ts'
import { error as errorRisk, risksOf } from './risks.ts'
import { createRotation } from './rotation.ts'
import { drawFor, seedOf } from './seed.ts'
import type { TemplateCategories } from './template-categories.ts'
import { createTemplateRisks } from './template-risks.ts'
import { charsOf } from '../../kernel/long-rows.ts'
import { hoursAt } from '../../contract/opening-hours.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import { daysBetween } from '../../kernel/time-zone.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'

interface PreviewDeps extends Pick<
  CampaignsDeps,
  'db' | 'clock' | 'contacts' | 'costs' | 'instances' | 'messages' | 'optOuts' | 'safety' | 'config'
> {
  readonly access: Access
  readonly lists: ListReader
  readonly numberState: NumberStates
  readonly templates: TemplateCategories
}

/** A person who would get a message. */
interface Person {
  readonly position: number
  readonly phone: string
  readonly name: string | null
  readonly variables: string | null
}

interface People {
  /** At most `LOOKED_AT` people. */
  readonly first: readonly Person[]
  readonly total: number
  readonly tally: Tally
  readonly variables: readonly string[]
}

/** Number of recipients of a stored campaign that are checked one by one; the others are assumed to be like them. */
const LOOKED_AT = 5_000
const PORTION = 500
/** Characters of messages that are rendered before yielding to the event loop: a few ms. */
const CHARACTERS_AT_ONCE = 256 * 1024
const FEWEST_SAMPLES = 10
const SHOWN_DAYS = 60

/** Predicts what a campaign would do. Writes nothing. */
export function createPreview(deps: PreviewDeps) {
  const { db, clock, contacts, optOuts, safety, access, lists, numberState } = deps
  const read = { one: db.readOne, all: db.read } as const
  const costOf = createCostEstimate(deps)
  const changesOf = createCategoryChanges(deps)
  const templateRisks = createTemplateRisks(deps)

  return async function preview(caller: Principal, body: PreviewCampaignBody): Promise<PreviewReply> {
    const found = body.campaign_id === undefined ? undefined : await access.get(caller, body.campaign_id)
    const instanceIds = body.instance_ids ?? found?.instanceIds ?? []
    const problems: CampaignRisk[] = []
    const numbers = await numbersOf(caller, instanceIds, problems)
    const config = configOf(body.config ?? found?.campaign.configInput ?? {}, numbers, problems)
    const messages = body.messages ?? found?.campaign.messages ?? []
    requireShortPayloads(messages)
    collect(problems, 'messages', () => requireMessages(messages, numbers.engines))
    await requireUploads(deps.messages.uploads, caller.accountId, messages).catch(refusalAsRisk(problems, 'messages'))
    const startsAtMs = startOf(body, found, problems)
    const people = await peopleOf(caller, body, found, numbers)
    if (instanceIds.length === 0)
      problems.push(errorRisk('no_instances', 'instance_ids', 'Choose at least one number that sends.'))
    if (messages.length === 0) problems.push(errorRisk('no_messages', 'messages', 'Write at least one message.'))
    if (people.total === 0)
      problems.push(errorRisk('no_recipients', 'recipients', 'Nobody would get a message. Add recipients.'))
    for (const { name, message } of unknownVariables(messages, people.variables)) {
      const text = `messages ${message} uses {{${name}}}, which the recipients do not have.`
      problems.push(errorRisk('unknown_variable', 'messages', text, { variation: message, variable: name }))
    }

    problems.push(...(await faultsOf(found?.campaign.id ?? 'preview', people, messages, config, numbers)))
    const load = await loadOf(caller.accountId, numbers.known, people, config, startsAtMs)
    const changes = await changesOf(caller.accountId, numbers.known, messages)
    const cost = await costOf({
      ...{ campaignId: found?.campaign.id ?? 'preview', accountId: caller.accountId },
      ...{ messages, config, load, first: people.first, changes },
      timezone: config.window?.timezone ?? deps.config.safetyTimezone,
    })
    const recentlyContacted = await contactedOf(caller.accountId, numbers, people, config)
    const ends = load.map(({ plan }) => plan?.endsAtMs ?? null)
    const endsAtMs = ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map(Number))
    const risks = [
      ...problems,
      ...risksOf({
        ...{ numbers, config, messages, load, recentlyContacted, startsAtMs, endsAtMs, cost },
        people: people.total,
      }),
      ...(people.total === 0 ? [] : risksOfChanges(changes, endsAtMs)),
      ...(await templateRisks(caller.accountId, numbers.known, messages)),
    ]
    return {
      can_start: !risks.some(({ severity }) => severity === 'error'),
      ...people.tally,
      total: people.total,
      recently_contacted: recentlyContacted,
      samples: samplesOf(found?.campaign.id ?? 'preview', people, messages, config, load),
      variables: [...people.variables],
      cost,
      starts_at: isoTime(startsAtMs),
      eta: people.total === 0 ? null : isoTimeOrNull(endsAtMs),
      duration_seconds:
        people.total === 0 || endsAtMs === null ? null : Math.round(Math.max(0, endsAtMs - startsAtMs) / 1_000),
      per_instance: load.map(({ instance, recipients, firstContacts, isConnected, plan }) => ({
        instance_id: instance.id,
        ...{ name: instance.name, connected: isConnected, recipients, first_contacts: firstContacts },
        finishes_at: recipients === 0 ? null : isoTimeOrNull(plan?.endsAtMs ?? null),
        days: (plan?.days ?? []).slice(0, SHOWN_DAYS),
      })),
      risks,
    }
  }

  type KnownNumbers = Numbers & { readonly known: readonly KnownInstance[] }

  async function numbersOf(caller: Principal, ids: readonly string[], problems: CampaignRisk[]): Promise<KnownNumbers> {
    try {
      return await access.numbers(caller, ids)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'not_found') throw error
      problems.push(riskOf(error, 'instance_ids'))
      return { known: [], network: 'sandbox', engines: [], instanceIds: ids }
    }
  }

  function configOf(input: PreviewCampaignBody['config'] & object, numbers: Numbers, problems: CampaignRisk[]) {
    let config: CampaignConfig | undefined
    collect(problems, 'config', () => {
      config = completeConfig(input, numbers, deps.config.safetyTimezone)
    })
    return config ?? completeConfig({}, numbers, deps.config.safetyTimezone)
  }

  function startOf(body: PreviewCampaignBody, found: Found | undefined, problems: CampaignRisk[]): number {
    const now = clock.now()
    const stored = found?.campaign.scheduledAtMs ?? null
    let atMs = stored !== null && stored > now ? stored : now
    const { scheduled_at: scheduledAt } = body
    if (scheduledAt !== undefined)
      collect(problems, 'scheduled_at', () => {
        atMs = readTime(scheduledAt, now)
      })
    return atMs
  }

  async function peopleOf(
    caller: Principal,
    body: PreviewCampaignBody,
    found: Found | undefined,
    { instanceIds }: Numbers,
  ): Promise<People> {
    const isGiven = body.recipients !== undefined || body.recipients_tag !== undefined
    const stored = found === undefined || body.recipients !== undefined ? undefined : await storedPeople(found)
    if (!isGiven) return stored ?? { first: [], total: 0, tally: emptyTally(), variables: [] }
    const list = await lists.read(caller.accountId, body)
    const first: Person[] = [...(stored?.first ?? [])]
    const { tally } = list
    for (let from = 0; from < list.accepted.length; from += PORTION) {
      const rows = list.accepted.slice(from, from + PORTION)
      const phones = rows.map(({ phone }) => phone)
      const optedOut = await optOuts.optedOutOf(read, caller.accountId, instanceIds, phones)
      for (const { line, written, phone, name, variables } of rows) {
        if (optedOut.has(phone)) refuse(tally, line, written, 'opted_out')
        else {
          first.push({ position: first.length + 1, phone, name, variables })
          tally.recipients.accepted++
        }
      }
    }
    tally.problems.sort((a, b) => a.line - b.line)
    const variables = [...new Set([...(stored?.variables ?? []), ...list.variables])]
    return { first, total: (stored?.total ?? 0) + tally.recipients.accepted, tally, variables }
  }

  async function storedPeople({ campaign }: Found): Promise<People> {
    const { id: campaignId, variables } = campaign
    const first = await db.read(recipientsByStatus, { campaignId, status: 'pending', after: 0, rows: LOOKED_AT })
    const pending = (await totalsOf(read, [campaignId])).get(campaignId)?.counts.pending ?? 0
    const tally = emptyTally()
    tally.recipients.accepted = pending
    return { first, total: pending, tally, variables }
  }

  /** Number of people whom `skipIfContactedHours` would skip now; for a long list, estimated from the sample. */
  async function contactedOf(
    accountId: AccountId,
    { instanceIds }: Numbers,
    { first, total }: People,
    { skipIfContactedHours: hours }: CampaignConfig,
  ): Promise<number> {
    if (hours === null || first.length === 0) return 0
    const sinceMs = clock.now() - hours * HOUR_MS
    let found = 0
    for (let from = 0; from < first.length; from += PORTION) {
      const phones = first.slice(from, from + PORTION).map(({ phone }) => phone)
      const last = await contacts.lastContact(read, accountId, instanceIds, phones)
      found += [...last.values()].filter(({ lastOutAtMs }) => (lastOutAtMs ?? 0) > sinceMs).length
    }
    return Math.round((found * total) / first.length)
  }

  /** Recipients whose message is too long or incomplete. The campaign skips them. */
  async function faultsOf(
    campaignId: string,
    { first, total }: People,
    messages: readonly CampaignMessage[],
    config: CampaignConfig,
    { engines }: Numbers,
  ): Promise<CampaignRisk[]> {
    const tally = createFaultTally()
    let characters = 0
    for (const [at, { position, phone, name, variables }] of first.entries()) {
      if (at % PORTION === PORTION - 1 || characters > CHARACTERS_AT_ONCE) {
        await yieldToEventLoop()
        characters = 0
      }
      const variation = messages.length === 0 ? 0 : drawFor(campaignId, position, config, messages.length).variation
      const message = messages[variation - 1]
      if (message === undefined) break
      const addressee = { phone, name, variables: JSON.parse(variables ?? '{}') as Record<string, string> }
      const longest = engines.map((engine) => longestMessage(message, addressee, engine))
      const faults = engines.map((engine, index) => faultOf(longest[index] ?? { buttons: [] }, engine))
      characters += charsOf(longest) + (variables?.length ?? 0)
      tally.add(
        { phone, row: at + 1, variation },
        faults.find((fault) => fault !== undefined),
      )
    }
    return tally.risks(first.length, total)
  }

  /** Number of messages per number, in proportion to its weight. */
  async function loadOf(
    accountId: AccountId,
    known: readonly KnownInstance[],
    { first, total }: People,
    config: CampaignConfig,
    startsAtMs: number,
  ): Promise<Load[]> {
    const weights = known.map(({ id }) => config.weights[id] ?? 1)
    const whole = weights.reduce((sum, weight) => sum + weight, 0)
    const remaining = await safety.remaining(known.map(({ id }) => id))
    const now = clock.now()
    const daysFromNow = (atMs: number) => daysBetween(now, atMs, config.window?.timezone ?? deps.config.safetyTimezone)
    let given = 0
    let weighed = 0
    const shares: Share[] = []
    for (const [index, instance] of known.entries()) {
      weighed += weights[index] ?? 1
      const upTo = Math.round((total * weighed) / whole)
      shares.push(await shareOf(instance, upTo - given))
      given = upTo
    }
    return Promise.all(shares.map(loadOn))

    /** Scales what was found for the sample of a number to all its people. */
    async function shareOf(instance: KnownInstance, recipients: number): Promise<Share> {
      const phones = first
        .filter((_person, at) => at % Math.max(1, known.length) === known.indexOf(instance))
        .map(({ phone }) => phone)
      const estimate = (found: number, looked: number) => (looked === 0 ? 0 : Math.round((recipients * found) / looked))
      const cold = await safety.isCold(read, instance.id, phones)
      const asked = phones.slice(0, ASKED_AT_MOST)
      const isCounted = TRAITS[instance.engine].sharesLimit && instance.network === 'live'
      const opened = isCounted ? await safety.isOneMore(instance.id, asked) : new Set()
      return {
        ...{ instance, recipients, firstContacts: estimate(cold.size, phones.length) },
        opens: estimate(opened.size, asked.length),
      }
    }

    async function loadOn({ instance, recipients, firstContacts, opens }: Share): Promise<Load> {
      const { link } = await numberState(read, accountId, instance.id)
      const left = remaining.get(instance.id)
      const isLive = instance.network === 'live'
      const portfolio = portfolioOf(left, shares)
      const limits = [
        ...(isLive && left !== undefined ? [limitOnDay(left, daysFromNow)] : []),
        ...(portfolio === null || opens === 0 ? [] : [limitOfShare(portfolio, recipients, daysFromNow)]),
      ]
      const limitOn = (atMs: number) => lowestOf(limits.map((limit) => limit(atMs)))
      const plan = forecast(config, recipients, firstSendAt(config, startsAtMs), deps.config.safetyTimezone, limitOn)
      return {
        ...{ instance, recipients, firstContacts, plan, portfolio },
        isConnected: link === 'up',
        firstContactsLeft: isLive ? (left?.firstContacts ?? null) : null,
      }
    }

    /** The limit counts once for all numbers of the campaign that share it. */
    function portfolioOf(left: Remaining | undefined, all: readonly Share[]): Load['portfolio'] {
      const portfolio = left?.portfolio ?? null
      if (portfolio === null || left === undefined) return null
      const mine = all.filter(({ instance }) => remaining.get(instance.id)?.portfolio?.key === portfolio.key)
      const opens = mine.reduce((sum, share) => sum + share.opens, 0)
      return { ...portfolio, left: left.firstContacts, opens }
    }
  }
}

/** The messages of one number, before its limits. */
interface Share {
  readonly instance: KnownInstance
  readonly recipients: number
  readonly firstContacts: number
  /** official: people who count towards the messaging limit of its portfolio. */
  readonly opens: number
}

/** Number of people of one number who are checked one by one. */
const ASKED_AT_MOST = 200

/** What a number may send while its portfolio reaches this many people a day together with other numbers. */
const limitOfShare =
  ({ limit, left, opens }: NonNullable<Load['portfolio']>, recipients: number, daysFromNow: (atMs: number) => number) =>
  (atMs: number): number | null => {
    const people = daysFromNow(atMs) <= 0 ? left : limit
    return people === null ? null : Math.max(Math.sign(people), Math.floor((people * recipients) / opens))
  }

function lowestOf(limits: readonly (number | null)[]): number | null {
  const numbers = limits.filter((limit) => limit !== null)
  return numbers.length === 0 ? null : Math.min(...numbers)
}

const HOUR_MS = 3_600_000

/** The rest of today's limit, then the limit of each following day. */
const limitOnDay =
  ({ today, limitIn }: Pick<Remaining, 'today' | 'limitIn'>, daysFromNow: (atMs: number) => number) =>
  (atMs: number): number | null => {
    const days = daysFromNow(atMs)
    return days <= 0 ? today : limitIn(days)
  }

function firstSendAt(config: CampaignConfig, atMs: number): number {
  const hours = hoursAt(config.window, atMs)
  return hours.isOpen ? atMs : hours.changesAtMs
}

/** Contains the code and its values; the window has the text. */
const riskOf = ({ code, message, detail }: ApiError, field: string): CampaignRisk =>
  errorRisk(code, field, message, detail && { ...detail.params, reason: detail.reason })

const refusalAsRisk =
  (problems: CampaignRisk[], field: string) =>
  (error: unknown): void => {
    if (!(error instanceof ApiError)) throw error
    problems.push(riskOf(error, field))
  }

function collect(problems: CampaignRisk[], field: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    refusalAsRisk(problems, field)(error)
  }
}

/**
 * The messages of the first people, and one message of each variation that none of them gets. The numbers take turns
 * as in the real campaign.
 */
function samplesOf(
  campaignId: string,
  { first }: People,
  messages: readonly CampaignMessage[],
  config: CampaignConfig,
  load: readonly Load[],
): PreviewReply['samples'] {
  const isAnyConnected = load.some(({ isConnected }) => isConnected)
  const usable = load.filter(({ isConnected }) => isConnected || !isAnyConnected).map(({ instance }) => instance)
  const rotation = createRotation(
    { id: campaignId },
    usable.map(({ id }) => ({ instanceId: id, weight: config.weights[id] ?? 1, given: 0, catchesUp: false })),
  )
  const samples: PreviewReply['samples'] = []
  const missing = new Set(messages.keys())
  for (const { position, phone, name, variables } of first) {
    if (messages.length === 0 || (missing.size === 0 && samples.length >= FEWEST_SAMPLES)) break
    const at = drawFor(campaignId, position, config, messages.length).variation - 1
    const instanceId = rotation.next(() => true)
    if (!missing.has(at) && samples.length >= FEWEST_SAMPLES) continue
    const message = messages[at]
    if (message === undefined) continue
    missing.delete(at)
    const instance = usable.find(({ id }) => id === instanceId)
    const addressee = { phone, name, variables: JSON.parse(variables ?? '{}') as Record<string, string> }
    const shown = renderMessage(message, addressee, instance?.engine ?? 'smv2', seedOf(campaignId, position))
    samples.push({
      ...{ phone, name, instance_id: instance?.id ?? null, variation: at + 1 },
      text: shown.text ?? shown.caption ?? '',
      media_url: shown.media_url ?? null,
      media_type: shown.media_type ?? null,
      buttons: [...shown.buttons],
      payload: payloadOf(message, shown),
    })
  }
  return samples
}

/** Not for a text with buttons, which is described by `text` and `buttons`. */
function payloadOf({ cloud_api: written }: CampaignMessage, { interactive, cloud_api: payload }: RenderedMessage) {
  if (interactive !== undefined) return interactivePayload(interactive)
  return written === undefined ? null : (payload ?? null)
}
