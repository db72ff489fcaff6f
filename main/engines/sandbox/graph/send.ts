import type { Clock } from '../../../kernel/clock.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import { contentOf } from '../../../kernel/file-content.ts'
import type { Ids } from '../../../kernel/ids.ts'
import type { FileType, Outgoing, Quoted, SendOutcome } from '../../engine.ts'
import type { Template } from '../../templates.ts'
import { sleep } from '../abortable.ts'
import { networkId } from '../network-ids.ts'
import type { SandboxNetwork } from '../network.ts'
import type { Assessments } from './assessments.ts'
import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import type { CountryLimits } from './country-limits.ts'
import type { statusChange } from './callback-bodies.ts'
import { toEngineInstance, type GraphFiles } from './files.ts'
import { STOPPED_MARKETING, type createMarketingStops } from './marketing.ts'
import type { GraphNumbers } from './numbers.ts'
import { UNPAID_FAULT, UNPAID_STATUS, type Payments } from './payments.ts'
import type { Portfolios } from './portfolios.ts'
import { priceOf } from './prices.ts'
import { checkFileType } from './upload-rules.ts'
import { parseUserId } from '../user-ids.ts'
import { addSent, type GraphNumber, type Sent } from './store.ts'
import { waIdOf } from './wa-id.ts'
import { asRecord, checkTemplate, readMessage, type GraphMessage } from './validation.ts'

interface SendingDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'message'>
  readonly network: Pick<
    SandboxNetwork,
    'official' | 'templates' | 'react' | 'find' | 'take' | 'reportSent' | 'latencyMs'
  >
  readonly numbers: GraphNumbers
  readonly files: GraphFiles
  readonly marketing: Pick<ReturnType<typeof createMarketingStops>, 'refuses'>
  readonly report: (number: GraphNumber, sent: Sent, status: Parameters<typeof statusChange>[2]) => Promise<void>
  readonly portfolios: Pick<Portfolios, 'reach'>
  readonly assessments: Pick<Assessments, 'holds' | 'add'>
  readonly payments: Pick<Payments, 'refusalOf'>
  readonly countryLimits: Pick<CountryLimits, 'check'>
}

type Json = Readonly<Record<string, unknown>>

interface Taken {
  readonly message: GraphMessage
  readonly template: Template | undefined
}

/** Sends no response: the connection stays silent until the client gives up. */
export class NoAnswer extends Error {}

/** Handles `POST /{phone-number-id}/messages` on the simulated network. */
export function createSending(deps: SendingDeps) {
  const { db, clock, ids, network, numbers, files, marketing, portfolios, assessments, payments, report } = deps
  const { countryLimits } = deps
  return async (number: GraphNumber, payload: Json, signal: AbortSignal): Promise<GraphAnswer> => {
    if (payload['status'] === 'read') return markRead(number, payload)
    const message = readMessage(payload)
    const to = payload['recipient_type'] === 'group' ? `${message.to}@g.us` : parseUserId(message.to, number.userScope)
    if (to === undefined)
      throw new GraphFault(400, 131_026, '(#131026) Message undeliverable', 'Nobody has this user id.')
    const template = await templateOf(number, message)
    const taking = { message, template }
    countryLimits.check(number, to)
    const unpaid = payments.refusalOf(number)
    if (unpaid === 'answer') throw UNPAID_FAULT
    if (unpaid === 'status') return failLater(number, to, taking, UNPAID_STATUS)
    if (await marketing.refuses(number, to, template)) return failLater(number, to, taking, STOPPED_MARKETING)
    if (message.type === 'reaction') await react(number, to, message)
    else return send(number, to, taking, signal)
    const messageId = ids.message()
    const wamid = networkId('official', messageId)
    await db.commit(async (tx) => {
      await remember(tx, number, { wamid, to, message, template })
      await network.reportSent(tx, toEngineInstance(number), messageId, wamid)
    })
    return taken(message, to, wamid)
  }

  /** @throws GraphFault when the template cannot be sent. */
  async function templateOf({ accountId, wabaId: businessId }: GraphNumber, message: GraphMessage) {
    if (message.type !== 'template') return undefined
    const { name, language } = message.content
    const found = await network.templates.find({ accountId, businessId }, name, asRecord(language)?.['code'])
    checkTemplate(message, found)
    return found
  }

  /** Meta accepts the message, and reports its failure in a status. */
  async function failLater(
    number: GraphNumber,
    to: string,
    taking: Taken,
    error: typeof STOPPED_MARKETING | typeof UNPAID_STATUS,
  ): Promise<GraphAnswer> {
    const wamid = networkId('official', ids.message())
    const sent = await db.commit((tx) => remember(tx, number, { wamid, to, ...taking }))
    await report(number, sent, { word: 'failed', atMs: clock.now(), error })
    return taken(taking.message, to, wamid)
  }

  async function remember(
    tx: Tx,
    number: GraphNumber,
    { wamid, to, message, template }: Taken & { readonly wamid: string; readonly to: string },
  ): Promise<Sent> {
    const now = clock.now()
    const sent = { wamid, recipient: to, opaque: message.opaque, ...(await priceOf(tx, number, to, template, now)) }
    await tx.run(addSent, { ...sent, now })
    return sent
  }

  async function markRead(
    number: GraphNumber,
    { message_id: id, typing_indicator: typing }: Json,
  ): Promise<GraphAnswer> {
    if (typeof id !== 'string') throw parameterFault('The parameter message_id is required.')
    if (typing !== undefined && asRecord(typing)?.['type'] !== 'text')
      throw parameterFault('Param typing_indicator.type must be one of {text}.')
    try {
      await network.official.direct?.markRead?.(toEngineInstance(number), {
        engineMessageId: id,
        chat: '',
        isOwn: false,
        participant: null,
      })
    } catch {
      throw new GraphFault(400, 131_009, '(#131009) Parameter value is not valid', `Message ${id} does not exist.`)
    }
    return ok({ success: true })
  }

  async function react({ accountId, number }: GraphNumber, _to: string, { content }: GraphMessage): Promise<void> {
    const { message_id: id, emoji } = content
    try {
      // Checked by readMessage.
      await network.react(accountId, number, id as string, emoji as string)
    } catch {
      throw new GraphFault(400, 131_009, '(#131009) Parameter value is not valid', 'reaction.message_id is unknown.')
    }
  }

  async function send(number: GraphNumber, to: string, given: Taken, signal: AbortSignal): Promise<GraphAnswer> {
    const instance = toEngineInstance(number)
    const messageId = ids.message()
    const wamid = networkId('official', messageId)
    const leave = async (tx: Tx) => {
      await remember(tx, number, { wamid, to, ...given })
    }
    const out = await outgoing(number, to, given.message)
    const undo = to.endsWith('@g.us') ? async () => {} : await portfolios.reach(number, to)
    const { template } = given
    if (template !== undefined && assessments.holds(template.id)) return assess(template.id)
    const outcome = await carry(signal)
    if (outcome.kind !== 'accepted' && outcome.kind !== 'unknown') await undo()
    if (outcome.kind !== 'unknown' && network.latencyMs > 0) await sleep(clock, network.latencyMs, signal)
    return answerOf(number, given.message, to, outcome)

    async function carry(limit: AbortSignal): Promise<SendOutcome> {
      // In the same commit in which the network accepts the message, so that every status that follows finds it here.
      const taking = await network.take(instance, messageId, out, { signal: limit, leave }, template)
      if (taking.kind === 'accepted')
        await db.commit(async (tx) => {
          await leave(tx)
          await taking.journal?.(tx)
          // With a timeline of zero delays the network confirms by accepting; Meta always confirms by a callback.
          if (taking.status === 'sent') await network.reportSent(tx, instance, messageId, wamid)
        })
      return taking
    }

    /** Meta accepts the message, and delivers it only after its template passes the assessment. */
    async function assess(templateId: string): Promise<GraphAnswer> {
      const sent = await db.commit((tx) => remember(tx, number, { wamid, to, ...given }))
      assessments.add(templateId, {
        async deliver() {
          await carry(AbortSignal.timeout(ASSESSED_MS))
        },
        drop: () => report(number, sent, { word: 'failed', atMs: clock.now(), error: NOT_ASSESSED }),
      })
      return taken(given.message, to, wamid, 'held_for_quality_assessment')
    }
  }

  async function outgoing(
    number: GraphNumber,
    to: string,
    { type, content, payload }: GraphMessage,
  ): Promise<Outgoing> {
    const { id, caption = null, filename = null } = content
    const isFile = typeof id === 'string' && FILES.includes(type)
    if (type !== 'text' && !isFile) return { kind: 'cloud_api', to, payload }
    const quoted = await quotedBy(number, to, payload)
    if (!isFile) return { kind: 'text', to, text: content['body'] as string, ...(quoted && { quoted }) }
    const { mimeType, bytes } = await files.read(number, id)
    checkFileType(type, mimeType)
    const words = { caption: caption as string | null, filename: filename as string | null }
    return {
      kind: 'media',
      to,
      mediaType: type as FileType,
      mimeType,
      content: contentOf(bytes),
      ...words,
      ...(content['voice'] === true && { isVoice: true }),
      ...(quoted && { quoted }),
    }
  }

  /** Meta ignores a context with an unknown message: the message arrives without a quote. */
  async function quotedBy({ accountId, number }: GraphNumber, chat: string, payload: Json) {
    const { message_id: engineMessageId } = asRecord(payload['context']) ?? {}
    if (typeof engineMessageId !== 'string') return undefined
    const found = await network.find(accountId, number, engineMessageId).catch(() => undefined)
    if (found === undefined) return undefined
    const { author, content } = found
    const said = { type: content.type, text: content.text ?? '' }
    return { engineMessageId, chat, isOwn: author === number, participant: null, ...said } satisfies Quoted
  }

  async function answerOf(
    number: GraphNumber,
    message: GraphMessage,
    to: string,
    outcome: SendOutcome,
  ): Promise<GraphAnswer> {
    switch (outcome.kind) {
      case 'accepted':
        return taken(message, to, outcome.engineMessageId)
      case 'refused': {
        const { provider_code: code, message: said } = outcome.error
        throw new GraphFault(400, code ?? 131_000, `(#${code ?? 131_000}) ${said}`, said)
      }
      case 'invalid':
        throw parameterFault(outcome.message)
      case 'not_ready':
        await numbers.change(number, { tokenDead: 1 })
        throw new GraphFault(401, 190, 'Error validating access token: the session has been invalidated')
      case 'nothing_sent':
        if (outcome.retryAfterSeconds === undefined) throw new GraphFault(503, 131_016, '(#131016) Service unavailable')
        throw new GraphFault(429, 130_429, '(#130429) Rate limit hit', 'Cloud API message throughput has been reached.')
      case 'unknown':
        throw new NoAnswer()
    }
  }
}

const FILES: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker']

const ASSESSED_MS = 5_000
const NOT_ASSESSED = {
  code: 'engine_rejected',
  provider_code: 132_015,
  message: 'The template was paused due to low quality.',
} as const

function taken(
  { to: input }: GraphMessage,
  to: string,
  wamid: string,
  message_status: 'accepted' | 'held_for_quality_assessment' = 'accepted',
): GraphAnswer {
  const contact = to.endsWith('@g.us')
    ? { input, wa_id: input }
    : input === to
      ? { input, wa_id: waIdOf(to) }
      : { input, user_id: input }
  return ok({
    messaging_product: 'whatsapp',
    contacts: [contact],
    messages: [{ id: wamid, message_status }],
  })
}
