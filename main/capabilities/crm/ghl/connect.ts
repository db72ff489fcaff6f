import { createHash } from 'node:crypto'
import { FIELD_MAP_DEFAULT, SYNC_DEFAULT } from '../../../contract/crm.ts'
import { ApiError } from '../../../contract/errors.ts'
import { isoTime } from '../../../contract/request.ts'
import type { Creator } from '../../../kernel/access.ts'
import { dueIn } from '../../../kernel/due.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import type { Random } from '../../../kernel/ids.ts'
import { cause, type Log } from '../../../kernel/log.ts'
import { Secret } from '../../../kernel/secret.ts'
import type { InstanceSubject, RequireAccess } from '../../handler.ts'
import { BridgeError } from '../bridge.ts'
import type { ConnectBody, Connecting } from '../contract/ghl.ts'
import type { CrmDeps } from '../deps.ts'
import type { CrmLink, Links } from '../links.ts'
import type { GhlClients, TokenAnswer } from './client.ts'
import { faultOf } from './faults.ts'
import { insertState, pruneStates, removeSession, takeState, type StateRow } from './session-store.ts'
import type { GhlSide, Sides } from './sides.ts'
import type { Tokens } from './tokens.ts'
import type { ConnectionsUnderWay, UnderWay } from './under-way.ts'

interface ConnectDeps extends Pick<CrmDeps, 'instances' | 'config' | 'isSuspended'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly random: Random
  readonly log: Log
  readonly links: Links
  readonly sides: Sides
  readonly clients: GhlClients
  readonly tokens: Tokens
  readonly underWay: ConnectionsUnderWay
  /** Resumes the queue of a location. */
  readonly resume: (tx: Tx, queue: string) => Promise<void>
}

/** Result shown to a person who returns from the consent page. */
export type ConsentResult =
  | { readonly kind: 'connected'; readonly instance: string; readonly location: string | null }
  | { readonly kind: 'denied' | 'expired' | 'wrong_location' | 'choose_location' | 'taken' }
  | { readonly kind: 'unreachable' | 'refused' | 'suspended' }

export interface ConsentQuery {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly error: string | undefined
}

const STATE_MS = 10 * 60_000
const SCOPES = [
  'conversations.readonly',
  'conversations.write',
  'conversations/message.readonly',
  'conversations/message.write',
  'contacts.readonly',
  'contacts.write',
].join(' ')

const hashOf = (state: string) => createHash('sha256').update(state).digest('hex')

export const queueOfLocation = (locationId: string) => `ghl:${locationId}`

interface Consented {
  readonly tokens: TokenAnswer
  readonly isCompany: boolean
  readonly companyId: string | null
  readonly locationId: string | null
}

/** Connects an instance with a location, by consent in the browser or with a token. */
export function createConnect(deps: ConnectDeps) {
  const { db, clock, random, log, links, sides, clients, tokens, underWay, resume, instances, config } = deps

  /** @throws ApiError sealed: tokens that cannot be stored are not requested. */
  const begin = async (
    { id, accountId, network }: InstanceSubject,
    locationId: string | null,
    createdBy: Creator | null,
  ): Promise<Connecting> => {
    const side = sides.of(network)
    const { clientId } = side.app()
    if (side.side === 'live' && config.publicBaseUrl === null)
      throw new ApiError(
        'invalid_state',
        'GoHighLevel sends the browser and its messages to a public https address. Set public_base_url, enter its callback in your app, and connect again.',
      ).because('public_url_missing')
    const state = random.bytes(32).toString('base64url')
    const expiresAt = dueIn(clock, STATE_MS)
    await db.commit(async (tx) => {
      await tx.run(pruneStates, { now: clock.now() })
      const row = { accountId, instanceId: id, side: side.side, locationId, expiresAtMs: expiresAt.atMs }
      await tx.run(insertState, { ...row, createdBy, hash: hashOf(state) })
    })
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri(),
      scope: SCOPES,
      state,
    })
    const url = `${await side.consentUrl(accountId)}?${query.toString()}`
    return { mode: 'oauth', authorization_url: url, expires_at: isoTime(expiresAt.atMs) }
  }

  const redirectUri = () => `${sides.base()}/callbacks/ghl/oauth`

  /** Connects with a private integration token, which is checked first. */
  const withToken = async (
    instance: InstanceSubject,
    locationId: string,
    token: Secret,
    requireAccess: RequireAccess,
  ): Promise<Connecting> => {
    const side = sides.of(instance.network)
    const location = await describe(side, instance, locationId, token).catch((error: unknown) => {
      if (!(error instanceof BridgeError)) throw error
      if (error.fault.kind === 'wait' || error.fault.kind === 'unknown')
        throw new ApiError(
          'upstream_unavailable',
          'GoHighLevel cannot be reached. Nothing was changed; try again.',
        ).because('ghl_unreachable')
      throw new ApiError(
        'validation_error',
        'GoHighLevel refused the token for this location. Check location_id, and that the token has the scopes for contacts and conversations.',
      ).because('ghl_token_refused')
    })
    const taken = await db.commit(async (tx) => {
      // Checked again, because GoHighLevel's answer takes a while.
      await requireAccess(tx)
      if (await isTaken(tx, instance, locationId)) return true
      const { accountId } = instance
      await tokens.put(tx, {
        ...{ resourceId: locationId, accountId, side: side.side, userType: 'Private', companyId: location.companyId },
        tokens: { access_token: token.open() },
      })
      await join(tx, instance, side, { mode: 'token', locationId, ...location })
      return false
    })
    if (taken) throw takenByOther()
    return { mode: 'token', authorization_url: null, expires_at: null }
  }

  /** The name of a location. @throws BridgeError */
  async function describe(
    side: GhlSide,
    { accountId }: Pick<InstanceSubject, 'accountId'>,
    locationId: string,
    token: Secret,
  ) {
    const client = clients.withToken(side, accountId, token)
    const judge = (error: unknown): never => {
      throw faultOf(error, true)
    }
    try {
      const answer = await client.location(locationId).catch(judge)
      const { name = null, companyId = null } = answer?.location ?? {}
      return { name, companyId }
    } catch (error) {
      if (!(error instanceof BridgeError) || error.fault.kind !== 'reconnect') throw error
      // The scope for reading the location is needed for nothing else, so another call checks the token.
      await client.duplicateContact(locationId, '+12025550100').catch(judge)
      return { name: null, companyId: null }
    }
  }

  const isTaken = async (tx: Tx, { accountId }: Pick<InstanceSubject, 'accountId'>, locationId: string) =>
    (await links.ofQueue(queueOfLocation(locationId), tx)).some((link) => link.accountId !== accountId)

  /** Connects in the caller's commit. Connecting the same location again keeps waiting items. */
  async function join(
    tx: Tx,
    { id: instanceId, accountId }: Pick<InstanceSubject, 'id' | 'accountId'>,
    side: GhlSide,
    to: {
      readonly mode: CrmLink['mode']
      readonly locationId: string
      readonly name: string | null
      readonly companyId: string | null
    },
  ): Promise<void> {
    const { mode, locationId, name: locationName, companyId } = to
    const queue = queueOfLocation(locationId)
    const before = await links.find(instanceId, 'ghl', tx)
    // A private token reaches only the default provider.
    const providerId = mode === 'token' ? null : side.providerId
    const connection = { mode, companyId, locationName, providerId, state: 'connected' } as const
    if (before?.queue === queue) {
      const locationName = connection.locationName ?? before.locationName
      await links.change(tx, before, { ...connection, locationName, connectedAtMs: clock.now() })
    } else {
      if (before !== undefined) await links.end(tx, before)
      await links.add(tx, {
        ...{ ...connection, accountId, instanceId, kind: 'ghl', side: side.side, queue, locationId },
        ...{ url: null, secretEnc: null, prevSecretEnc: null, prevExpiresAtMs: null, secretLast4: null },
        ...{ secretCreatedBy: null, prevSecretCreatedBy: null },
        ...{ sync: SYNC_DEFAULT, fieldMap: FIELD_MAP_DEFAULT, paused: 0 },
      })
    }
    await resume(tx, queue)
  }

  async function exchange(side: GhlSide, state: StateRow, code: string): Promise<Consented> {
    const answer = await clients
      .withApp(side, state.accountId)
      .forCode(code, redirectUri())
      .catch((error: unknown) => {
        throw faultOf(error, true)
      })
    const { access_token, refresh_token, expires_in, companyId = null, locationId = null, userType } = answer
    return {
      tokens: { access_token, refresh_token, expires_in },
      isCompany: userType === 'Company',
      companyId,
      locationId,
    }
  }

  /** The location for an agency's consent: the requested one, or its only one. */
  async function locationOf(
    side: GhlSide,
    { accountId, locationId }: StateRow,
    { companyId, tokens: given }: Consented,
  ) {
    if (locationId !== null) return locationId
    const client = clients.withToken(side, accountId, new Secret(given.access_token))
    const query = { companyId: companyId ?? '', appId: side.app().clientId.split('-')[0] ?? '' }
    const answer = await client.installedLocations(query).catch(() => undefined)
    const locations = answer?.locations ?? []
    return locations.length === 1 ? (locations[0]?._id ?? null) : null
  }

  async function finish(state: StateRow, code: string, self: UnderWay): Promise<ConsentResult> {
    const { accountId } = state
    const side = sides.get(state.side)
    const consented = await exchange(side, state, code)
    const { isCompany, companyId } = consented
    const locationId = isCompany ? await locationOf(side, state, consented) : consented.locationId
    if (locationId === null) return { kind: 'choose_location' }
    if (state.locationId !== null && state.locationId !== locationId) return { kind: 'wrong_location' }
    const session = { accountId, side: side.side, companyId } as const
    if (isCompany && companyId !== null) {
      await db.commit((tx) =>
        tokens.put(tx, { ...session, resourceId: companyId, userType: 'Company', tokens: consented.tokens }),
      )
      await tokens.access(locationId, companyId)
    }
    const token = isCompany ? await tokens.access(locationId) : new Secret(consented.tokens.access_token)
    const about = await describe(side, { accountId }, locationId, token).catch(() => ({ name: null }))
    return db.commit(async (tx): Promise<ConsentResult> => {
      const instance = await instances.find(tx, accountId, state.instanceId)
      const isOver = instance === undefined || self.isEnded
      if (isOver || deps.isSuspended(accountId)) {
        await dropUnused(tx, locationId, companyId)
        return { kind: isOver ? 'expired' : 'suspended' }
      }
      if (await isTaken(tx, { accountId }, locationId)) return { kind: 'taken' }
      if (!isCompany)
        await tokens.put(tx, { ...session, resourceId: locationId, userType: 'Location', tokens: consented.tokens })
      const to = { mode: 'oauth', locationId, name: about.name, companyId } as const
      await join(tx, { id: instance.id, accountId }, side, to)
      return { kind: 'connected', instance: instance.name, location: about.name }
    })
  }

  /** The agency's consent is stored before its outcome is known. */
  async function dropUnused(tx: Tx, locationId: string, companyId: string | null): Promise<void> {
    if ((await links.ofQueue(queueOfLocation(locationId), tx)).length === 0)
      await tx.run(removeSession, { resourceId: locationId })
    if (companyId !== null && (await links.ofCompany(companyId, tx)).length === 0)
      await tx.run(removeSession, { resourceId: companyId })
  }

  async function resultOf(
    taken: StateRow | undefined,
    { code, error }: Pick<ConsentQuery, 'code' | 'error'>,
    self: UnderWay | undefined,
  ): Promise<ConsentResult> {
    if (taken === undefined || self === undefined || taken.expiresAtMs <= clock.now()) return { kind: 'expired' }
    if (error !== undefined || code === undefined) return { kind: 'denied' }
    if (deps.isSuspended(taken.accountId)) return { kind: 'suspended' }
    try {
      return await finish(taken, code, self)
    } catch (failure) {
      log.warn({ event: 'crm.connect_failed', cause: cause(failure) })
      if (!(failure instanceof BridgeError)) throw failure
      return { kind: failure.fault.kind === 'wait' ? 'unreachable' : 'refused' }
    }
  }

  return {
    /** @throws ApiError validation_error, invalid_state, upstream_unavailable, sealed */
    async connect(
      instance: InstanceSubject,
      { mode, location_id: locationId, token }: ConnectBody,
      createdBy: Creator | null,
      requireAccess: RequireAccess,
    ): Promise<Connecting> {
      if (mode === 'oauth') {
        if (token !== undefined) throw wrong('token is only allowed with mode token.')
        return begin(instance, locationId ?? null, createdBy)
      }
      if (token === undefined || locationId === undefined)
        throw wrong(`${token === undefined ? 'token' : 'location_id'} is missing. Mode token needs both.`).because(
          'field_required',
          { field: token === undefined ? 'token' : 'location_id' },
        )
      return withToken(instance, locationId, new Secret(token), requireAccess)
    },

    /** The browser returns. The state is used up first, even if connecting fails. */
    async callback({ state, code, error }: ConsentQuery): Promise<ConsentResult> {
      const hash = hashOf(state ?? '')
      let self: UnderWay | undefined
      const taken = await db.commit(async (tx) => {
        const found = await tx.one(takeState, { hash })
        if (found !== undefined) self ??= underWay.begin(found)
        return found
      })
      try {
        return await resultOf(taken, { code, error }, self)
      } finally {
        if (self !== undefined) underWay.over(self)
      }
    },
  }
}

export type Connect = ReturnType<typeof createConnect>

const wrong = (message: string) => new ApiError('validation_error', message)
const takenByOther = () =>
  new ApiError(
    'invalid_state',
    'This location is connected to another account of this service. Disconnect it there first.',
  ).because('ghl_location_taken')
