import { Type, type Static } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { ApiError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { Body, Digits, MediaType } from '../../../contract/shapes.ts'
import type { Db } from '../../../kernel/db.ts'
import { parseForeignJson } from '../../../kernel/foreign-json.ts'
import type { Inbox } from '../inbox.ts'
import type { Links } from '../links.ts'
import type { OptOutSync } from '../opt-out-sync.ts'
import type { Written } from '../written.ts'
import type { Signing } from './signing.ts'

const Id = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,100}$' })

const PostedMessage = Body({
  id: Id,
  type: Type.Literal('message'),
  to: Digits,
  text: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.textLength })),
  media_url: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.mediaUrlLength })),
  media_type: Type.Optional(MediaType),
  caption: Type.Optional(Type.String({ maxLength: LIMITS.captionLength })),
  filename: Type.Optional(Type.String({ maxLength: LIMITS.filenameLength })),
})
const PostedOptOut = Body({ id: Id, type: Type.Literal('opt_out'), phone: Digits, opted_out: Type.Boolean() })

interface Signed {
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

interface InboundDeps {
  readonly db: Db
  readonly links: Links
  readonly inbox: Inbox
  readonly optOutSync: OptOutSync
  readonly signing: Signing
}

/**
 * Handles requests of any CRM for a connection. @throws ApiError not_found, unauthorized, invalid_json,
 * validation_error
 */
export function createInbound({ db, links, inbox, optOutSync, signing }: InboundDeps) {
  return async (linkId: string, { timestamp, signature }: Signed, body: Buffer): Promise<{ readonly id: string }> => {
    const link = await links.byId(linkId)
    // A caller without a valid signature must not learn which connections exist.
    if (link?.kind !== 'webhook' || !signing.isSigned(link, timestamp, signature, body))
      throw new ApiError(
        'unauthorized',
        'X-Service-Signature does not match, or X-Service-Timestamp is more than 5 minutes off. Sign timestamp.body with the secret of the CRM webhook.',
        { 'www-authenticate': 'Signature' },
      )
    const given = parse(body)
    if (Check(PostedOptOut, given)) {
      const { id, phone, opted_out: isOptedOut } = given
      const changedAtMs = Number(timestamp) * 1_000
      await db.commit(async (tx) => {
        const isFirst = await inbox.noteHandled(tx, { link, scope: link.id, externalId: id, phone })
        if (isFirst) await optOutSync.fromCrm(tx, link, phone, isOptedOut, changedAtMs)
      })
      return { id }
    }
    if (!Check(PostedMessage, given)) throw new ApiError('validation_error', wrong(given))
    await db.commit((tx) =>
      inbox.take(tx, { link, scope: link.id, externalId: given.id, phone: given.to, written: writtenIn(given) }),
    )
    return { id: given.id }
  }
}

function writtenIn(given: Static<typeof PostedMessage>): Written {
  const { text, media_url: url, media_type: mediaType, caption, filename } = given
  if ((text === undefined) === (url === undefined))
    throw new ApiError('validation_error', 'The body needs exactly one of text and media_url.')
  if (url === undefined) return { text: text ?? '', attachments: [] }
  return { text: caption ?? '', attachments: [{ url, mediaType: mediaType ?? null, filename: filename ?? null }] }
}

function parse(body: Buffer): unknown {
  try {
    return parseForeignJson(body)
  } catch {
    throw new ApiError('invalid_json', `The body is not valid JSON of at most ${LIMITS.bodyValues} values.`)
  }
}

function wrong(given: unknown): string {
  const { type } = (given ?? {}) as { readonly type?: unknown }
  if (type !== 'message' && type !== 'opt_out') return 'type must be message or opt_out.'
  const [first] = Errors(type === 'message' ? PostedMessage : PostedOptOut, given)
  const field = first?.instancePath.slice(1) ?? ''
  return field === ''
    ? `The ${type} is not complete: ${first?.message ?? 'a field is missing'}.`
    : `${field}: ${first?.message ?? 'not valid'}.`
}
