import { createHash } from 'node:crypto'
import { isoTime } from '../../../contract/request.ts'
import { MESSAGE_STATUSES, type MessageStatus } from '../../../contract/shapes.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { BridgeError, type CrmBridge, type CrmContact } from '../bridge.ts'
import type { CrmDeps } from '../deps.ts'
import type { CrmLink } from '../links.ts'
import type { Signing } from './signing.ts'

interface BridgeDeps extends Pick<CrmDeps, 'outbound' | 'instances'> {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly clock: Pick<Clock, 'now'>
  readonly signing: Signing
  /** Address under which callers reach this service. */
  readonly base: () => string
}

const ALL: ReadonlySet<MessageStatus> = new Set(MESSAGE_STATUSES)
const HOUR_MS = 3_600_000
/** The receiver refuses this event, but may accept the next one. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422])

/** The bridge to any CRM that accepts signed events: receivers ignore repeated ids. */
export function createWebhookBridge({ outbound, instances, db, clock, signing, base }: BridgeDeps): CrmBridge {
  async function post(link: CrmLink, type: string, key: string, rest: object): Promise<string> {
    const { accountId, instanceId, url } = link
    const instance = await instances.find({ one: db.readOne }, accountId, instanceId)
    // The same for every repeat, and different for every event.
    const id = `crme_${createHash('sha256').update(`${link.id} ${type} ${key}`).digest('hex').slice(0, 32)}`
    const about = { id: instanceId, name: instance?.name ?? null, number: instance?.phoneNumber ?? null }
    const event = { id, type, created_at: isoTime(clock.now()), instance: about, ...rest }
    const body = Buffer.from(JSON.stringify(event))
    const headers = signing.headers(link, body)
    const answer = await outbound.request({ url: url ?? '', method: 'POST', headers, body, from: { accountId } })
    if (answer.kind === 'failure')
      throw new BridgeError({ kind: 'wait', waitMs: null, code: 'unreachable' }, unreachable(answer.code))
    const { status } = answer
    if (status >= 200 && status < 300) return id
    if (status === 410) throw new BridgeError({ kind: 'reconnect', code: 'gone' }, GONE)
    if (REFUSED.has(status)) {
      const fault = { kind: 'later', waitMs: 30_000, code: 'message_refused' } as const
      throw new BridgeError(
        fault,
        `The CRM webhook refuses an event (HTTP ${status}). It is skipped after a few attempts.`,
      )
    }
    const retryAfter = Number(answer.headers['retry-after'] ?? NaN)
    const waitMs = Number.isFinite(retryAfter) ? Math.min(retryAfter * 1_000, HOUR_MS) : null
    const code = status === 429 ? 'rate_limited' : 'unreachable'
    throw new BridgeError({ kind: 'wait', waitMs, code }, unreachable(`HTTP ${status}`))
  }

  const contactOf = ({ contactId: phone }: CrmContact) => ({ contact: { phone } })

  return {
    statuses: ALL,
    contact: (_link, { phone }) => Promise.resolve({ contactId: phone, conversationId: null }),

    async message(link, contact, message) {
      const { id, direction, type, text, source, atMs, file } = message
      const attachments = file === null ? [] : [{ ...fileOf(link, file) }]
      const said = { id, direction, type, text, attachments, source, sent_at: isoTime(atMs) }
      const externalId = await post(link, 'message', id, { ...contactOf(contact), message: said })
      return { externalId, conversationId: null }
    },

    async call(link, contact, call) {
      const { id, direction, from, to, outcome, startedAtMs, durationSeconds, recordingUrl } = call
      const what = {
        ...{ id, direction, from, to, outcome, started_at: isoTime(startedAtMs) },
        ...{ duration_seconds: durationSeconds, recording_url: recordingUrl },
      }
      const externalId = await post(link, 'call', id, { ...contactOf(contact), call: what })
      return { externalId, conversationId: null }
    },

    async status(link, externalId, status, error) {
      const isOurs = externalId.startsWith('crme_')
      const about = { event_id: isOurs ? externalId : null, external_id: isOurs ? null : externalId, status, error }
      await post(link, 'status', `${externalId} ${status}`, { status: about })
    },

    async optOut(link, contact, { isOptedOut, changeId, decided }) {
      await post(link, 'opt_out', changeId, {
        ...contactOf(contact),
        opted_out: isOptedOut,
        opt_out: decided && {
          source: decided.source,
          message_id: decided.messageId,
          created_at: isoTime(decided.createdAtMs),
        },
      })
    },
  }

  function fileOf({ instanceId }: CrmLink, file: NonNullable<Parameters<CrmBridge['message']>[2]['file']>) {
    const { mediaId, mimeType: mime_type, filename, size } = file
    const url = mediaId === null ? null : `${base()}/v1/instances/${instanceId}/media/${encodeURIComponent(mediaId)}`
    return { media_id: mediaId, mime_type, filename, size, url }
  }
}

const unreachable = (why: string) =>
  `The CRM webhook did not take the last event (${why}). Nothing is lost: everything waits, and is delivered in order once it answers 2xx.`
const GONE =
  'The receiver answered 410 Gone, so it is no longer called. Set the URL again, or resume the connection, to go on.'
