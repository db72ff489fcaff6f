import type { AccountId } from '../../../kernel/ids.ts'
import type { Secret } from '../../../kernel/secret.ts'
import { formBody, GhlFailure, jsonBody, requestGhl, type GhlRequest, type OnHeaders } from './http.ts'
import type { GhlSide } from './sides.ts'

/**
 * The used part of GoHighLevel's API. Answers are typed as documented, with every field optional: what GoHighLevel
 * leaves out is decided where it is needed. All calls reject with `GhlFailure`.
 */
export type GhlClient = ReturnType<typeof clientOf>

/** The token endpoint, which takes the app's id and secret instead of a token. */
type GhlTokenEndpoint = ReturnType<typeof tokenEndpointOf>

export interface GhlClients {
  /** For a token of a location or a company. */
  withToken(side: GhlSide, accountId: AccountId, token: Secret, onHeaders?: OnHeaders): GhlClient
  withApp(side: GhlSide, accountId: AccountId): GhlTokenEndpoint
}

/** What the token endpoint answers. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
}

interface Contact {
  readonly id?: string
  readonly phone?: string
}

interface Added {
  readonly messageId?: string
  readonly conversationId?: string
}

interface ThreadMessage {
  readonly id: string
  readonly direction: string
  readonly dateAdded: string
  readonly body?: string
}

type Fields = Readonly<Record<string, unknown>>
type Send = (request: GhlRequest) => Promise<unknown>

export const ghlClients: GhlClients = {
  withToken: (side, accountId, token, onHeaders) =>
    clientOf((request) => requestGhl({ ...side, accountId, token: token.open(), onHeaders }, request)),
  withApp: (side, accountId) =>
    tokenEndpointOf(side, (request) => requestGhl({ ...side, accountId, token: null }, request)),
}

const id = (text: string) => encodeURIComponent(text)

function clientOf(send: Send) {
  const get = (path: string, query: NonNullable<GhlRequest['query']> = {}) => send({ method: 'GET', path, query })
  const post = (path: string, body: Fields) => send({ method: 'POST', path, body: jsonBody(body) })
  const put = (path: string, body: Fields) => send({ method: 'PUT', path, body: jsonBody(body) })
  return {
    location: async (locationId: string) =>
      (await get(`/locations/${id(locationId)}`)) as { location?: { name?: string; companyId?: string } } | undefined,

    /** The contact with this number. @param number with a plus sign. */
    duplicateContact: async (locationId: string, number: string) =>
      (await get('/contacts/search/duplicate', { locationId, number })) as { contact?: Contact | null } | undefined,
    upsertContact: async (body: Fields) => (await post('/contacts/upsert', body)) as { contact?: Contact } | undefined,
    changeContact: (contactId: string, body: Fields) => put(`/contacts/${id(contactId)}`, body),

    searchConversations: async (query: { readonly locationId: string; readonly contactId: string }) =>
      (await get('/conversations/search', query)) as { conversations?: readonly { id?: string }[] } | undefined,
    messages: async (conversationId: string, limit: number) =>
      (await get(`/conversations/${id(conversationId)}/messages`, { limit })) as
        | { messages?: { messages?: readonly ThreadMessage[] } }
        | undefined,
    /** @param body a form with the file. @returns its URL as a list, or under its name. */
    uploadAttachment: async (body: NonNullable<GhlRequest['body']>) =>
      (await send({ method: 'POST', path: '/conversations/messages/upload', body })) as
        | { uploadedFiles?: Fields | readonly unknown[] }
        | undefined,
    addInbound: async (body: Fields) => (await post('/conversations/messages/inbound', body)) as Added | undefined,
    addOutbound: async (body: Fields) => (await post('/conversations/messages/outbound', body)) as Added | undefined,
    updateStatus: (messageId: string, body: Fields) => put(`/conversations/messages/${id(messageId)}/status`, body),

    /** A location's token for the token of its agency. */
    locationToken: async (companyId: string, locationId: string) =>
      tokensIn(await send({ method: 'POST', path: '/oauth/locationToken', body: formBody({ companyId, locationId }) })),
    installedLocations: async (query: { readonly companyId: string; readonly appId: string }) =>
      (await get('/oauth/installedLocations', { ...query, isInstalled: true })) as
        | { locations?: readonly { _id?: string }[] }
        | undefined,
  }
}

function tokensIn(answer: unknown): Consent {
  const found = answer as Partial<Consent> | undefined
  if (typeof found?.access_token !== 'string') throw new GhlFailure('The answer has no token.', 200)
  return { ...found, access_token: found.access_token }
}

interface Consent extends TokenAnswer {
  readonly companyId?: string
  readonly locationId?: string
  readonly userType?: string
}

function tokenEndpointOf(side: Pick<GhlSide, 'app'>, send: Send) {
  async function grant(fields: Readonly<Record<string, string>>): Promise<Consent> {
    const { clientId, clientSecret } = side.app()
    const app = { client_id: clientId, client_secret: clientSecret.open() }
    return tokensIn(await send({ method: 'POST', path: '/oauth/token', body: formBody({ ...app, ...fields }) }))
  }
  return {
    forCode: (code: string, redirectUri: string) =>
      grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
    forRefresh: (refreshToken: string, userType: 'Location' | 'Company'): Promise<TokenAnswer> =>
      grant({ grant_type: 'refresh_token', refresh_token: refreshToken, user_type: userType }),
  }
}
