import { createHash } from 'node:crypto'
import type { CallDescription } from '../../capabilities/approvals/index.ts'
import { GROUP_ID } from '../../contract/addresses.ts'
import type { CallPart } from '../../contract/approval.ts'
import { quotedText, visibleText, visibleValue } from '../../contract/display-text.ts'
import { effectsOf } from '../../contract/effects.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { Contract, Operation } from '../../contract/operation.ts'
import type { Principal } from '../../kernel/access.ts'
import { pathParams } from '../path-params.ts'
import { firstOf, part, sentenceOf, type Excerpt } from './call-parts.ts'
import { costParts } from './cost-parts.ts'
import { idsIn } from './ids-in.ts'
import type { ToolRequest } from './input.ts'
import type { DoorAnswer } from './result.ts'

type Arguments = Readonly<Record<string, unknown>>

/** A resource in the path of a call. */
interface Resource {
  readonly argument: string
  /** Path template of the operation that reads it. */
  readonly path: string
}

export interface CallDescriber {
  /** With names of resources and without secrets. */
  describeCall(operation: Operation, given: Arguments, principal: Principal): Promise<CallDescription>
  /**
   * Names of the ids in a result.
   * @param given arguments of the call: objects are read below the instance that they name.
   */
  nameIds(value: unknown, given: Arguments, principal: Principal): Promise<readonly CallPart[]>
}

/** Fields that name a record for people, best first. */
const NAMES = ['name', 'title', 'url', 'number', 'description'] as const
/** Limit of reads, because each name costs one. */
const MAX_READS = 20
const VALUE_CHARACTERS = 120
/** The longest URL that is accepted. */
const ADDRESS_CHARACTERS = 2_048
const INSTANCE = '/v1/instances/{instance_id}'
const WEBHOOK = '/v1/webhooks/{webhook_id}'
const THREAD_MESSAGE = `${INSTANCE}/thread/{message_id}`
const GROUP_INFO = `${INSTANCE}/engine/smv2/group/info`
const PREVIEW = '/v1/campaigns/preview'
const IS_GROUP = new RegExp(`^${GROUP_ID}$`)

export function createCallDescriber(deps: {
  readonly operations: readonly Contract[]
  readonly call: (principal: Principal, request: ToolRequest) => Promise<DoorAnswer>
}): CallDescriber {
  const readable = new Set(
    deps.operations.flatMap((room) =>
      Object.values(room).flatMap((one) => (one.method === 'GET' ? [fullPath(one)] : [])),
    ),
  )
  /** For each argument that names an object, the path that reads the object. */
  const pathOf = new Map(
    [...readable].flatMap((path) => {
      const argument = /\{(\w+_id)\}$/.exec(path)?.[1]
      return argument === undefined || argument === 'message_id' ? [] : [[argument, path] as const]
    }),
  )

  /**
   * Reads as the console, with the key's instance restriction: a key that may delete a resource may not be allowed to
   * read it, but the person must know which one it is.
   */
  const read = (path: string, principal: Principal) => ask({ method: 'GET', path, headers: {} }, principal)

  const ask = async (request: ToolRequest, principal: Principal): Promise<Readonly<Record<string, unknown>>> => {
    const { status, body } = await deps.call({ ...principal, kind: 'console', role: 'member', key: null }, request)
    return status === 200 && isRecord(body) ? body : {}
  }

  /** Adds the name of a group to its id, if the network still provides it. */
  const groupLabel = async (given: Arguments, id: string, principal: Principal): Promise<string> => {
    const path = filled(GROUP_INFO, given)
    const { result } = await ask({ method: 'POST', path, headers: {}, body: { group_id: id } }, principal)
    return labelOf(isRecord(result) ? result : {}, id)
  }

  const labelOf = (record: Readonly<Record<string, unknown>>, id: string): string => {
    const name = NAMES.map((field) => record[field]).find((value) => typeof value === 'string' && value !== '')
    if (typeof name !== 'string' || name === id) return plainId(id)
    // An assistant could rename an instance before it asks, but cannot change its number or id.
    const number = record['phone_number']
    const proof = typeof number === 'string' ? `${plainId(number)}, ${plainId(id)}` : plainId(id)
    return `${quotedText(short(name))} (${proof})`
  }

  /**
   * Objects without a name are left out. Each object is read below those that the arguments, or the value itself,
   * name.
   */
  const nameIds = async (
    value: unknown,
    given: Arguments,
    principal: Principal,
    known: ReadonlySet<string> = new Set(),
  ): Promise<CallPart[]> => {
    const around = { ...given, ...(isRecord(value) && value) }
    const found = new Map([...idsIn(value)].filter(({ id }) => !known.has(id)).map(({ id, field }) => [id, field]))
    const parts: CallPart[] = []
    for (const [id, field] of [...found].slice(0, MAX_READS)) {
      const [argument, path] = [...pathOf].find(([name]) => field === name || field.endsWith(`_${name}`)) ?? []
      if (argument === undefined || path === undefined) continue
      const label = labelOf(await read(filled(path, { ...around, [argument]: id }), principal), id)
      if (label !== id) parts.push({ kind: 'named', name: null, values: [id, label], total: 1 })
    }
    return parts
  }

  /** The text and recipient of a message, because its id means nothing to a person. */
  const messageIn = async (given: Arguments, principal: Principal) => {
    const { chat, message } = await read(filled(THREAD_MESSAGE, given), principal)
    if (typeof chat !== 'string' || !isRecord(message)) return { parts: [], record: {} }
    const said = text(message['text'])
    const what =
      said === '' ? part('message_type', text(message['type'])) : part('message_text', quotedText(short(said)))
    const who = IS_GROUP.test(chat) ? await groupLabel({ ...given, group_id: chat }, chat, principal) : plainId(chat)
    return { parts: [what, part('message_chat', who)], record: message }
  }

  /** The host that will receive data: from the `url` argument, or the current URL of the resource. */
  const hostOf = async (
    given: Arguments,
    records: readonly Readonly<Record<string, unknown>>[],
    principal: Principal,
  ): Promise<string | undefined> => {
    if (typeof given['url'] === 'string') return hostIn(given['url'])
    for (const record of records) {
      if (typeof record['url'] === 'string') return hostIn(record['url'])
      const webhookId = record['webhook_id']
      if (typeof webhookId !== 'string') continue
      const { url } = await read(filled(WEBHOOK, { webhook_id: webhookId }), principal)
      if (typeof url === 'string') return hostIn(url)
    }
    return undefined
  }

  return {
    nameIds: (value, given, principal) => nameIds(value, given, principal),

    async describeCall(operation, given, principal) {
      const resources = resourcesOf(operation)
      const records: Readonly<Record<string, unknown>>[] = []
      const parts: CallPart[] = []
      for (const { argument, path } of resources) {
        const id = text(given[argument])
        const record = readable.has(path) ? await read(filled(path, given), principal) : {}
        records.push(record)
        parts.push(part('subject', labelOf(record, id)))
        parts.push(...(await campaignParts(record, given['to'] !== undefined)))
      }
      for (const [name, value] of recipientsFirst(given)) {
        if (CALL_OPTIONS.has(name) || resources.some(({ argument }) => argument === name)) continue
        if (typeof value === 'string' && GROUPS.has(name) && IS_GROUP.test(value))
          parts.push(part('group', await groupLabel(given, value, principal), name))
        else if (name !== 'instance_ids' || !Array.isArray(value)) parts.push(argumentPart(name, value))
        else parts.push({ kind: 'numbers', name: null, ...(await listed(value.map(text))) })
        if (name === 'message_id') {
          const message = await messageIn(given, principal)
          parts.push(...message.parts)
          records.push(message.record)
        }
      }
      const { instance_ids: ids } = given
      const subjects = resources.map(({ argument }) => text(given[argument]))
      const numbers = Array.isArray(ids) ? ids.map(text) : []
      const named = new Set([...subjects, ...numbers])
      // People have no id here, and there may be many.
      const { recipients: _, ...others } = withoutOptions(given)
      parts.push(...(await nameIds(others, given, principal, named)))
      const isToMany = given['recipients'] !== undefined || given['recipients_tag'] !== undefined
      if (isToMany && Array.isArray(ids)) parts.push(...(await costOf(numbers, withoutOptions(given))))
      const host = isAboutDestination(operation) ? await hostOf(given, records, principal) : undefined
      if (host !== undefined) parts.push(part('destination', host))
      return { sentence: sentenceOf(operation.summary, parts), parts, basis: basisOf(parts, records) }

      /**
       * Recipients, text, numbers and cost of a campaign.
       * @param isTest one message to a single number, which another argument names.
       */
      async function campaignParts(record: Readonly<Record<string, unknown>>, isTest: boolean): Promise<CallPart[]> {
        const { counts, instance_ids: ids, messages, campaign_id: id } = record
        if (!isRecord(counts) || !Array.isArray(ids)) return []
        const numbers = ids.map(text)
        const whom = isTest ? [] : [part('campaign_people', String(Number(counts['pending'])))]
        const from = { kind: 'campaign_numbers', name: null, ...(await listed(numbers)) } as const
        const plan = isTest || id === undefined ? undefined : { campaign_id: id }
        return [...whom, ...wordsOf(messages), from, ...(await costOf(numbers, plan))]
      }

      /** @param plan campaign body for the preview. */
      async function costOf(ids: readonly string[], plan: object | undefined): Promise<readonly CallPart[]> {
        for (const id of ids.slice(0, MAX_READS)) {
          const { engine } = await read(filled(INSTANCE, { instance_id: id }), principal)
          if (isBilled(engine)) return (plan && (await previewedCost(plan))) ?? [part('cost_of_meta')]
        }
        return [part('cost_none')]
      }

      async function previewedCost(plan: object): Promise<readonly CallPart[] | undefined> {
        const { cost } = await ask({ method: 'POST', path: PREVIEW, headers: {}, body: plan }, principal)
        return costParts(cost)
      }

      async function listed(ids: readonly string[]): Promise<Excerpt> {
        const labels = ids.map(async (id, at) =>
          at < MAX_READS ? labelOf(await read(filled(INSTANCE, { instance_id: id }), principal), id) : plainId(id),
        )
        return firstOf(await Promise.all(labels))
      }
    },
  }
}

/**
 * Parts show only the beginning of texts, and only some campaigns; each change of these has a new timestamp, which
 * counts. The expected cost of a campaign changes with every message of its numbers, and does not count.
 */
function basisOf(parts: readonly CallPart[], records: readonly Readonly<Record<string, unknown>>[]): string {
  const editions = records.map((record) => record[isCampaign(record) ? 'updated_at' : 'edited_at'] ?? null)
  return createHash('sha256')
    .update(JSON.stringify([parts.filter(({ kind }) => !ESTIMATES.has(kind)), editions]))
    .digest('base64url')
}

const ESTIMATES: ReadonlySet<CallPart['kind']> = new Set(['cost_of_meta', 'cost_estimate', 'cost_unknown', 'cost_free'])

const isCampaign = ({ counts, instance_ids: ids }: Readonly<Record<string, unknown>>): boolean =>
  isRecord(counts) && Array.isArray(ids)

/** Arguments that can be a group. */
const GROUPS = new Set(['to', 'group_id'])

/** Recipients come first, so that the person reads them before any other text from the caller. */
const RECIPIENTS = [
  'to',
  'recipient',
  'recipients',
  'recipients_tag',
  'number',
  'numbers',
  'group_id',
  'participants',
  'mentions',
  'url',
  'media_url',
]

function recipientsFirst(given: Arguments): [string, unknown][] {
  const rank = ([name]: [string, unknown]) => (RECIPIENTS.includes(name) ? 0 : 1)
  return Object.entries(given).toSorted((a, b) => rank(a) - rank(b))
}

const isAboutDestination = (operation: Operation): boolean =>
  effectsOf(operation).some((effect) => effect === 'destination' || effect === 'outbound')

/** The host as the network sees it: without user info, and with look-alike letters as `xn--…`. */
function hostIn(url: string): string {
  return URL.canParse(url) ? visibleText(new URL(url).host) : quotedText(short(url))
}

/** Our ids need no quotes; anything else was written by the caller. */
const PLAIN_ID = /^[A-Za-z0-9_.:@+-]{1,128}$/
const plainId = (id: string): string => (PLAIN_ID.test(id) ? id : quotedText(short(id)))

/** Arguments about how a call is made, not what it does. */
const CALL_OPTIONS = new Set(['confirm', 'idempotency_key', 'approval_id'])

const withoutOptions = (given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !CALL_OPTIONS.has(name)))

function fullPath(operation: Operation): string {
  let path: string = operation.path
  for (const { name, fullName } of pathParams(operation)) path = path.replace(`{${name}}`, `{${fullName}}`)
  return path
}

function resourcesOf(operation: Operation): Resource[] {
  const path = fullPath(operation)
  return pathParams(operation).map(({ fullName }) => ({
    argument: fullName,
    path: path.slice(0, path.indexOf(`{${fullName}}`) + fullName.length + 2),
  }))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const filled = (path: string, given: Arguments): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(text(given[name])))

const SECRET = /secret|token|password|passphrase|api_key|^key$|^value$|^qr$|pairing_code/i

/** The arguments for display, without secrets. */
export function redactSecrets(given: Arguments): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      CALL_OPTIONS.has(name) ? [] : [[name, visibleValue(redacted(name, value))]],
    ),
  )
}

function redacted(name: string, value: unknown): unknown {
  if (SECRET.test(name)) return '(not shown)'
  if (Array.isArray(value)) return value.map((each: unknown) => redacted('', each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, redacted(inner, each)]))
}

function argumentPart(name: string, value: unknown): CallPart {
  const shownName = visibleText(name)
  const seen = redacted(name, value)
  if (isPeople(seen))
    return { kind: 'people', name: shownName, ...firstOf(seen.map(({ phone }) => quotedText(short(phone)))) }
  if (typeof seen === 'string')
    return part('value', quotedText(short(seen, RECIPIENTS.includes(name) ? ADDRESS_CHARACTERS : undefined)), shownName)
  if (!Array.isArray(seen) || !seen.every((each) => typeof each === 'string'))
    return part('value', short(JSON.stringify(visibleValue(seen))), shownName)
  return { kind: 'list', name: shownName, ...firstOf(seen.map((each) => quotedText(short(each)))) }
}

/** The first message of a campaign, and the number of others. */
function wordsOf(messages: unknown): CallPart[] {
  if (!Array.isArray(messages)) return []
  const [first, ...others] = messages.filter(isRecord)
  if (first === undefined) return []
  const total = others.length + 1
  const says = first['text'] ?? first['caption'] ?? first['media_url']
  if (typeof says === 'string') return [{ ...part('campaign_message', quotedText(short(says))), total }]
  const template = isRecord(first['cloud_api']) ? first['cloud_api']['template'] : undefined
  const name = isRecord(template) ? template['name'] : undefined
  if (typeof name === 'string') return [{ ...part('campaign_template', quotedText(short(name))), total }]
  return [{ ...part('campaign_file'), total }]
}

interface Person {
  readonly phone: string
}

const isPeople = (value: unknown): value is readonly Person[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => isRecord(each) && typeof each['phone'] === 'string')

/** A path argument as text. Missing ones are rejected before anyone is asked. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed() : value === undefined ? '' : JSON.stringify(value)

const short = (value: string, most = VALUE_CHARACTERS): string =>
  value.length > most ? `${value.slice(0, most).toWellFormed()}…` : value

const isBilled = (engine: unknown): boolean =>
  Object.entries(TRAITS).some(([name, traits]) => name === engine && traits.isBilled)
