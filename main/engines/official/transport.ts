import { createHash, createHmac } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'
import type { MediaFile } from '../direct.ts'
import type { Template, TemplateCapacity, TemplateChange, TemplateDraft } from '../templates.ts'
import type { Outgoing } from '../engine.ts'
import { uploadName } from './media-rules.ts'
import { INFO_FIELDS, readInfo, type NumberInfo } from './number-facts.ts'
import type { GraphCall, GraphClient, GraphReply } from './graph-client.ts'
import { integerAt, recordAt, recordsAt, textAt, type Json } from './json.ts'
import { multipart } from './multipart.ts'

/** The account and the token of a request to Graph. */
export interface GraphCredentials {
  readonly accountId: AccountId
  readonly accessToken: Secret
  /** Version of the Graph API; null: that of the service. */
  readonly version: string | null
}

/** Any answer other than success. */
export type NotOk = Exclude<GraphReply, { kind: 'ok' }>

export type Result<T> = { readonly kind: 'ok'; readonly value: T } | NotOk

const TEMPLATE_FIELDS =
  'id,name,language,status,category,quality_score,rejected_reason,components,message_send_ttl_seconds'
const SUMMARY_FIELDS = 'message_template_count,message_template_limit'

/** As Meta lists them: a pause comes without its end. */
export interface GraphTemplatePage {
  readonly templates: readonly Omit<Template, 'pausedUntilMs' | 'categoryChange' | 'suspension' | 'deletedAtMs'>[]
  readonly after: string | null
  /** null: not requested, or not reported by Meta. */
  readonly capacity: TemplateCapacity | null
}

/** Larger files are not fetched; WhatsApp carries none that is larger. */
const LARGEST_FILE = 100 * 1024 * 1024
const SIZE_MS = 5_000
const INVALID_PARAMETER = 100

export type Transport = ReturnType<typeof createTransport>

/** Meta's Cloud API, one function for each request. */
export function createTransport({ client, random }: { client: GraphClient; random: Random }) {
  const call = (
    { accountId, accessToken: token, version }: GraphCredentials,
    rest: Omit<GraphCall, 'accountId' | 'token' | 'version'>,
  ) => client.ask({ ...rest, accountId, token, version })

  const act = async (
    speaker: GraphCredentials,
    method: 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Result<null>> => {
    const reply = await call(speaker, { method, path, ...(body && { body: json(JSON.stringify(body)) }) })
    return reply.kind === 'ok' ? { kind: 'ok', value: null } : reply
  }

  return {
    /** @param text the exact payload. */
    send(
      speaker: GraphCredentials,
      phoneNumberId: string,
      text: string,
      limits: Pick<GraphCall, 'signal' | 'beforeFirstByte'>,
    ): Promise<GraphReply> {
      return call(speaker, { method: 'POST', path: `${phoneNumberId}/messages`, body: json(text), ...limits })
    },

    /** @returns the media id for use in a message. */
    async upload(
      speaker: GraphCredentials,
      phoneNumberId: string,
      { mediaType, mimeType, content, isVoice = false }: Extract<Outgoing, { kind: 'media' }>,
      signal: AbortSignal,
    ) {
      const boundary = `switchboard-${random.bytes(16).toString('hex')}`
      // Meta accepts only a form, and its size must be known before it is sent.
      const value = await buffer(await content.read())
      const parts = [
        { name: 'messaging_product', value: 'whatsapp' },
        { name: 'type', value: mimeType },
        { name: 'file', filename: uploadName(mediaType, mimeType, isVoice), type: mimeType, value },
      ]
      const body = multipart(boundary, parts)
      return withField(await call(speaker, { method: 'POST', path: `${phoneNumberId}/media`, body, signal }), 'id')
    },

    /** A received file, checked against its hash. @throws Error when Meta's URL does not return that file. */
    async media(speaker: GraphCredentials, phoneNumberId: string, mediaId: string): Promise<Result<MediaFile>> {
      const query = { phone_number_id: phoneNumberId }
      const reply = await call(speaker, { method: 'GET', path: encodeURIComponent(mediaId), query })
      if (reply.kind !== 'ok') return reply
      const url = textAt(reply.body, 'url')
      if (url === null) return { kind: 'lost', code: 'no_url' }
      const file = await client.fetch(url, speaker.accessToken, speaker.accountId, LARGEST_FILE)
      const digest = createHash('sha256').update(file.bytes).digest()
      const expected = textAt(reply.body, 'sha256')
      if (expected === null || !isDigest(expected, digest)) throw new Error('the file of a message has another hash')
      const mimeType = textAt(reply.body, 'mime_type') ?? file.mimeType
      return { kind: 'ok', value: { mimeType, filename: null, bytes: file.bytes } }
    },

    /** The size of a file according to Meta. Uses a short timeout. */
    async mediaSize(speaker: GraphCredentials, phoneNumberId: string, mediaId: string): Promise<Result<number>> {
      const query = { phone_number_id: phoneNumberId }
      const path = encodeURIComponent(mediaId)
      const reply = await call(speaker, { method: 'GET', path, query, timeoutMs: SIZE_MS })
      if (reply.kind !== 'ok') return reply
      return { kind: 'ok', value: integerAt(reply.body, 'file_size') ?? 0 }
    },

    /** @param appSecret proves that token and secret belong to one app: otherwise Meta refuses the request. */
    async numberInfo(
      speaker: GraphCredentials,
      phoneNumberId: string,
      appSecret?: Secret,
    ): Promise<Result<NumberInfo>> {
      const proof = appSecret && createHmac('sha256', appSecret.open()).update(speaker.accessToken.open()).digest('hex')
      const query = { fields: INFO_FIELDS, ...(proof !== undefined && { appsecret_proof: proof }) }
      const reply = await call(speaker, { method: 'GET', path: phoneNumberId, query })
      if (reply.kind !== 'ok') return reply
      const info = readInfo(reply.body)
      return info === undefined ? { kind: 'lost', code: 'no_number' } : { kind: 'ok', value: info }
    },

    /** Asks Meta for the data of the Business app on the phone, which Meta sends once. */
    requestAppData: (speaker: GraphCredentials, phoneNumberId: string, type: 'smb_app_state_sync' | 'history') =>
      act(speaker, 'POST', `${phoneNumberId}/smb_app_data`, { messaging_product: 'whatsapp', sync_type: type }),

    async templates(
      speaker: GraphCredentials,
      wabaId: string,
      page: { readonly limit: number; readonly after: string | null; readonly name?: string },
    ): Promise<Result<GraphTemplatePage>> {
      const query = {
        fields: TEMPLATE_FIELDS,
        limit: String(page.limit),
        ...(page.after !== null && { after: page.after }),
        ...(page.name === undefined ? { summary: SUMMARY_FIELDS } : { name: page.name }),
      }
      const reply = await call(speaker, { method: 'GET', path: `${wabaId}/message_templates`, query })
      return reply.kind === 'ok' ? ({ kind: 'ok', value: toTemplatePage(reply.body) } as const) : reply
    },

    /** Also finds templates of another business account that the token covers. */
    async templateName(speaker: GraphCredentials, id: string): Promise<Result<string>> {
      return withField(await call(speaker, { method: 'GET', path: id, query: { fields: 'name' } }), 'name')
    },

    async submitTemplate(
      speaker: GraphCredentials,
      wabaId: string,
      { ttlSeconds, ...draft }: TemplateDraft & { readonly parameter_format: string },
    ): Promise<Result<string>> {
      const body = json(JSON.stringify({ ...draft, message_send_ttl_seconds: ttlSeconds ?? undefined }))
      const reply = await call(speaker, { method: 'POST', path: `${wabaId}/message_templates`, body })
      const id = reply.kind === 'ok' ? integerAt(reply.body, 'id') : null
      return id === null ? withField(reply, 'id') : { kind: 'ok', value: String(id) }
    },

    changeTemplate: (speaker: GraphCredentials, id: string, { ttlSeconds, ...change }: TemplateChange) =>
      act(speaker, 'POST', id, {
        ...change,
        ...(typeof ttlSeconds === 'number' && { message_send_ttl_seconds: ttlSeconds }),
      }),

    async endTemplatePause(speaker: GraphCredentials, id: string): Promise<Result<null>> {
      const reply = await call(speaker, { method: 'POST', path: `${id}/unpause` })
      if (reply.kind !== 'ok') return reply
      if (reply.body['success'] !== false) return { kind: 'ok', value: null }
      // Meta sends this refusal with HTTP 200.
      const details = textAt(reply.body, 'reason') ?? 'it gave no reason'
      return { kind: 'error', status: 200, retryAfterSeconds: null, error: { code: INVALID_PARAMETER, details } }
    },

    /** Deletes one language; given only the name, Meta would delete all languages. */
    async removeTemplate(
      speaker: GraphCredentials,
      wabaId: string,
      template: { readonly id: string; readonly name: string },
    ): Promise<Result<null>> {
      const query = { hsm_id: template.id, name: template.name }
      const reply = await call(speaker, { method: 'DELETE', path: `${wabaId}/message_templates`, query })
      return reply.kind === 'ok' ? { kind: 'ok', value: null } : reply
    },

    markRead: (speaker: GraphCredentials, phoneNumberId: string, wamid: string, isTyping: boolean) =>
      act(speaker, 'POST', `${phoneNumberId}/messages`, {
        messaging_product: 'whatsapp',
        status: 'read',
        message_id: wamid,
        ...(isTyping && { typing_indicator: { type: 'text' } }),
      }),

    subscribe: (speaker: GraphCredentials, wabaId: string) => act(speaker, 'POST', `${wabaId}/subscribed_apps`),
    unsubscribe: (speaker: GraphCredentials, wabaId: string) => act(speaker, 'DELETE', `${wabaId}/subscribed_apps`),

    /** Registers the callback URL of this number; Meta calls it immediately to verify it. */
    callBackTo: (speaker: GraphCredentials, phoneNumberId: string, address: string, verifyToken: Secret) =>
      act(speaker, 'POST', phoneNumberId, {
        webhook_configuration: { override_callback_uri: address, verify_token: verifyToken.open() },
      }),

    register: (speaker: GraphCredentials, phoneNumberId: string, pin: Secret) =>
      act(speaker, 'POST', `${phoneNumberId}/register`, { messaging_product: 'whatsapp', pin: pin.open() }),

    /** Exchanges the code from Meta's signup for a token. Sent in a body, because URLs are logged. */
    async exchangeCode(accountId: AccountId, app: App, code: string, redirectUri: string): Promise<Result<Secret>> {
      const form = new URLSearchParams({
        client_id: app.id,
        client_secret: app.secret.open(),
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code,
      })
      const body = { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(form.toString()) }
      const of = { token: null, version: null, accountId }
      const reply = await client.ask({ ...of, method: 'POST', path: 'oauth/access_token', body })
      const token = withField(reply, 'access_token')
      return token.kind === 'ok' ? { kind: 'ok', value: new Secret(token.value) } : token
    },

    /** The business accounts that a token covers. Meta accepts the token for this only in the URL. */
    async accountsOf(accountId: AccountId, app: App, token: Secret): Promise<Result<readonly string[]>> {
      const asApp = new Secret(`${app.id}|${app.secret.open()}`)
      const query = { input_token: token.open() }
      const of = { token: asApp, version: null, accountId }
      const reply = await client.ask({ ...of, method: 'GET', path: 'debug_token', query })
      return reply.kind === 'ok' ? { kind: 'ok', value: accountsIn(reply.body) } : reply
    },

    /**
     * The webhook fields that are selected for the app of the token. Only the app itself may ask, so the request
     * needs its secret.
     */
    async subscribedFields(speaker: GraphCredentials, appSecret: Secret): Promise<Result<readonly string[]>> {
      const app = await call(speaker, { method: 'GET', path: 'app', query: { fields: 'id' } })
      if (app.kind !== 'ok') return app
      const appId = textAt(app.body, 'id')
      if (appId === null || !/^\d{1,30}$/.test(appId)) return { kind: 'lost', code: 'no_app_id' }
      const token = new Secret(`${appId}|${appSecret.open()}`)
      const { version, accountId } = speaker
      const reply = await client.ask({
        ...{ token, version, accountId },
        method: 'GET',
        path: `${appId}/subscriptions`,
      })
      return reply.kind === 'ok' ? { kind: 'ok', value: fieldsIn(reply.body) } : reply
    },

    /** Meta's id of the business that owns the WhatsApp account; null if not reported. */
    async portfolioOf(speaker: GraphCredentials, wabaId: string): Promise<Result<string | null>> {
      const reply = await call(speaker, { method: 'GET', path: wabaId, query: { fields: 'owner_business_info' } })
      if (reply.kind !== 'ok') return reply
      const id = textAt(recordAt(reply.body, 'owner_business_info'), 'id')
      return { kind: 'ok', value: id !== null && /^\d{1,30}$/.test(id) ? id : null }
    },

    async numbersOf(speaker: GraphCredentials, wabaId: string): Promise<Result<readonly string[]>> {
      const reply = await call(speaker, { method: 'GET', path: `${wabaId}/phone_numbers`, query: { fields: 'id' } })
      if (reply.kind !== 'ok') return reply
      return { kind: 'ok', value: recordsAt(reply.body, 'data').flatMap((entry) => textAt(entry, 'id') ?? []) }
    },
  }
}

/** The operator's own app at Meta. */
export interface App {
  readonly id: string
  readonly secret: Secret
}

const json = (text: string) => ({ type: 'application/json', bytes: Buffer.from(text) })

function withField(reply: GraphReply, name: string): Result<string> {
  if (reply.kind !== 'ok') return reply
  const value = textAt(reply.body, name)
  return value === null ? { kind: 'lost', code: `no_${name}` } : { kind: 'ok', value }
}

/** Meta sends hashes in hex in some places and in base64 in others. */
function isDigest(text: string, digest: Buffer): boolean {
  return text.toLowerCase() === digest.toString('hex') || text === digest.toString('base64')
}

function capacityAt(summary: Json): TemplateCapacity | null {
  const count = integerAt(summary, 'message_template_count')
  const limit = integerAt(summary, 'message_template_limit')
  return count === null || limit === null || limit <= 0 ? null : { count, limit }
}

function toTemplatePage(body: Json): GraphTemplatePage {
  const templates = recordsAt(body, 'data').map((entry) => ({
    id: textAt(entry, 'id') ?? String(integerAt(entry, 'id') ?? ''),
    name: textAt(entry, 'name') ?? '',
    language: textAt(entry, 'language') ?? '',
    status: textAt(entry, 'status') ?? '',
    category: textAt(entry, 'category') ?? '',
    quality: known(textAt(recordAt(entry, 'quality_score'), 'score'), 'UNKNOWN'),
    rejectedReason: known(textAt(entry, 'rejected_reason'), 'NONE'),
    components: recordsAt(entry, 'components'),
    ttlSeconds: ttlIn(entry),
  }))
  const paging = recordAt(body, 'paging')
  // Meta sends a cursor even on the last page; only `next` shows that another page exists.
  const after = textAt(paging, 'next') === null ? null : textAt(recordAt(paging, 'cursors'), 'after')
  return { templates, after, capacity: capacityAt(recordAt(body, 'summary')) }
}

/** Meta writes -1 for 30 days. */
function ttlIn(entry: Json): number | null {
  const seconds = integerAt(entry, 'message_send_ttl_seconds')
  return seconds === null || seconds < 1 ? null : seconds
}

const known = (value: string | null, unknown: string) => (value === unknown || value === '' ? null : value)

function fieldsIn(body: Json): string[] {
  const all = recordsAt(body, 'data').filter((one) => textAt(one, 'object') === 'whatsapp_business_account')
  return all.flatMap((one) => recordsAt(one, 'fields').flatMap((field) => textAt(field, 'name') ?? []))
}

function accountsIn(body: Json): string[] {
  const scopes = recordsAt(recordAt(body, 'data'), 'granular_scopes')
  const management = scopes.find((scope) => textAt(scope, 'scope') === 'whatsapp_business_management')
  const targets: unknown = management?.['target_ids']
  return Array.isArray(targets) ? targets.filter((id): id is string => typeof id === 'string' && /^\d+$/.test(id)) : []
}
