import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../capabilities/account/index.ts'
import type { InstanceSubject, ServedOperation } from '../capabilities/handler.ts'
import { ApiError } from '../contract/errors.ts'
import type { Feature } from '../contract/features.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { isUuid } from '../contract/request.ts'
import {
  canAccessInstance,
  requireAccessLevel,
  requireAgencySide,
  requireRole,
  requireScope,
  type Principal,
} from '../kernel/access.ts'
import { networkOf } from '../kernel/address-range.ts'
import type { AccountId } from '../kernel/ids.ts'
import type { AccountGate } from './account-gate.ts'
import { currentCaller } from './in-process-caller.ts'
import { hostOf, type OriginGuard } from './origin-guard.ts'
import { sessionTokens } from './panel/cookie.ts'
import { requireSameOrigin } from './panel/same-origin.ts'
import type { RateLimiter, RateVerdict } from './rate-limit.ts'

export interface AdmissionDeps {
  readonly guard: OriginGuard
  readonly limiter: RateLimiter
  readonly anonymousRatePerMinute: () => number
  authenticate(token: string): Promise<Principal | undefined>
  findSession(token: string): Promise<Session | undefined>
  /** The port the service listens on; part of the cookie name. */
  port(): number
  subject(accountId: string, instanceId: string): Promise<InstanceSubject | undefined>
  /** The features that the account may use. */
  featuresOf(accountId: AccountId): Promise<readonly Feature[]>
  /** The feature that an operation belongs to; undefined: available to everybody. */
  featureOf(operation: Operation): Feature | undefined
  readonly accountGate: Pick<AccountGate, 'beforeBody'>
}

/** What the checks established before the handler runs. */
interface Admitted {
  principal: Principal | null
  instance: InstanceSubject | undefined
  confirmed: boolean
  /** Runs every check, but not the operation. */
  isRehearsal: boolean
  /** Set for the console in a browser; null for every other caller. */
  sessionId: string | null
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
    exists?: ServedOperation['exists']
    /** No key required; a key that is sent is still checked. */
    open?: boolean
    /** For pages on other sites: the route checks their origin. */
    widget?: boolean
    /** `panel`: for console sessions only, never for API keys. `files`: the public page of the console. */
    console?: 'panel' | 'files'
    /** For monitoring: never rate limited, and keys are ignored. */
    health?: boolean
    /** For signed callbacks, which need a higher rate limit than anonymous requests. */
    callbacks?: boolean
    /** Limit of values in a body; default: `LIMITS.bodyValues`. */
    bodyValues?: number
  }
  interface FastifyRequest {
    admitted: Admitted
    /** The raw body text, for the idempotency fingerprint. */
    rawText: string | undefined
    /** The body had not arrived when the request was admitted. It can take half a minute. */
    isBodyLate: boolean
  }
}

/**
 * Every check before the body is validated, in a guaranteed order: Host and Origin → key → rate → scope →
 * key restriction → existence → engine → confirm. The order keeps callers without access from learning what exists.
 */
export function createAdmission(deps: AdmissionDeps) {
  const { guard, limiter, anonymousRatePerMinute } = deps

  const spend = (reply: FastifyReply, bucket: string, perMinute: number): void => {
    // A request that is checked again is not counted again.
    const isAgain = (reply.request as Partial<FastifyRequest>).admitted !== undefined
    const verdict = isAgain ? limiter.peek(bucket, perMinute) : limiter.take(bucket, perMinute)
    showRate(reply, verdict)
    if (isAgain || verdict.allowed) return
    throw new ApiError(
      'rate_limited',
      `You exceeded ${perMinute} requests per minute. Wait ${verdict.retryAfterSeconds} s, then send requests more slowly.`,
      {
        'retry-after': String(verdict.retryAfterSeconds),
      },
    )
  }

  const identifySession = async (request: FastifyRequest, reply: FastifyReply, isOpen: boolean): Promise<Identity> => {
    requireSameOrigin(request)
    for (const token of sessionTokens(request.headers.cookie, deps.port())) {
      const session = await deps.findSession(token)
      if (session === undefined) continue
      spend(reply, bucketOf(session.principal), session.principal.ratePerMinute)
      return { principal: session.principal, sessionId: session.id }
    }
    spend(reply, `address:${networkOf(request.ip)}`, anonymousRatePerMinute())
    if (isOpen) return NOBODY
    throw notSignedIn()
  }

  const identify = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { console: consoleRoute, open: isOpen = false }: FastifyContextConfig,
  ): Promise<Identity> => {
    const inProcess = currentCaller()
    if (inProcess !== undefined) {
      const { principal, prepaid } = inProcess
      if (prepaid) showRate(reply, limiter.peek(bucketOf(principal), principal.ratePerMinute))
      else spend(reply, bucketOf(principal), principal.ratePerMinute)
      if (consoleRoute === 'panel' && principal.kind !== 'console') throw pathNotFound()
      return { principal, sessionId: null }
    }
    const address = `address:${networkOf(request.ip)}`
    showRate(reply, limiter.peek(address, anonymousRatePerMinute()))
    const isOfWidget = request.routeOptions.config.widget === true
    const origin = isOfWidget ? undefined : request.headers.origin
    guard.check({ host: hostOf(request.raw), origin })
    if (isOfWidget) {
      spend(reply, `widget:${networkOf(request.ip)}`, anonymousRatePerMinute())
      return NOBODY
    }
    if (consoleRoute === 'panel') return identifySession(request, reply, isOpen)
    if (consoleRoute === 'files') {
      // Loading the page takes dozens of requests, which must not use up the anonymous limit of the API.
      spend(reply, `files:${networkOf(request.ip)}`, LIMITS.consoleFilesPerMinute)
      return NOBODY
    }
    if (request.routeOptions.config.health === true) {
      // Never refused: a health check that fails because of somebody else's requests would cause a restart loop.
      showRate(reply, limiter.take(`health:${networkOf(request.ip)}`, anonymousRatePerMinute()))
      return NOBODY
    }
    if (request.routeOptions.config.callbacks === true) {
      // Callbacks are authenticated by their signature, not by a key.
      spend(reply, `callbacks:${networkOf(request.ip)}`, LIMITS.callbacksPerMinute)
      return NOBODY
    }

    const { authorization } = request.headers
    const principal = await authenticate(authorization, deps)
    if (principal === undefined) {
      spend(reply, address, anonymousRatePerMinute())
      if (authorization === undefined && isOpen) return NOBODY
      throw unauthorized(authorization)
    }
    spend(reply, bucketOf(principal), principal.ratePerMinute)
    return { principal, sessionId: null }
  }

  /**
   * Called again when the body arrived late, because the access may have ended meanwhile.
   * @param config of the route; empty if no route was found.
   */
  return async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    config: FastifyContextConfig,
  ): Promise<void> {
    const { principal, sessionId } = await identify(request, reply, config)
    const isRehearsal = currentCaller()?.isRehearsal === true
    request.admitted = { principal, instance: undefined, confirmed: false, isRehearsal, sessionId }
    const { operation, exists } = config
    if (operation === undefined || principal === null) return
    if (operation.audience === 'console' && principal.kind !== 'console') throw pathNotFound()
    requireRole(principal, operation.role)
    requireAgencySide(principal, operation.scope)
    requireScope(principal, operation.scope)
    requireAccessLevel(principal, operation.reach)
    await requireFeature(principal, deps.featureOf(operation), deps)
    if (operation.reach === 'instance')
      request.admitted.instance = await findSubject(request, principal, operation, deps)
    await exists?.(principal, request.params as Record<string, string>)
    deps.accountGate.beforeBody(principal, operation, request)
    request.admitted.confirmed = (request.query as Record<string, unknown>)['confirm'] === 'true'
    if (operation.confirm === 'always' && !request.admitted.confirmed) throw confirmationRequired(operation)
  }
}

/**
 * A feature that an agency did not grant to a sub-account is refused like a missing scope. @throws ApiError
 * insufficient_scope
 */
export async function requireFeature(
  { accountId }: Principal,
  feature: Feature | undefined,
  { featuresOf }: Pick<AdmissionDeps, 'featuresOf'>,
): Promise<void> {
  if (feature === undefined || (await featuresOf(accountId)).includes(feature)) return
  throw new ApiError(
    'insufficient_scope',
    `This account may not use ${FEATURE_NAMES[feature]}. Ask your agency to turn it on.`,
  ).because('feature_off', { feature })
}

const FEATURE_NAMES = {
  campaigns: 'campaigns',
  ai: 'AI agents',
  voice: 'voice calls',
  ghl: 'the CRM connection',
  mcp: 'MCP',
} as const satisfies Record<Feature, string>

interface Identity {
  readonly principal: Principal | null
  readonly sessionId: string | null
}

const NOBODY: Identity = { principal: null, sessionId: null }

export const pathNotFound = () =>
  new ApiError('not_found', 'This path does not exist. See /openapi.yaml for all operations.')

const confirmationRequired = (operation: Operation) =>
  new ApiError(
    'confirmation_required',
    `“${operation.summary}” cannot be undone, so nothing was done. To confirm, repeat the call with confirm=true in the query.`,
  )

function showRate(reply: FastifyReply, verdict: RateVerdict): void {
  reply.header('x-ratelimit-limit', verdict.limit).header('x-ratelimit-remaining', verdict.remaining)
}

const bucketOf = (principal: Principal) =>
  principal.key === null ? `console:${principal.accountId}` : `key:${principal.key.id}`

const BEARER = /^Bearer +(\S+) *$/i

async function authenticate(authorization: string | undefined, deps: AdmissionDeps): Promise<Principal | undefined> {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
  return token === undefined ? undefined : await deps.authenticate(token)
}

function unauthorized(authorization: string | undefined): ApiError {
  const message =
    authorization === undefined
      ? 'This request has no API key. Send the header Authorization: Bearer <API key>.'
      : 'The API key is malformed, unknown, revoked or expired. Check it, or create a new one.'
  return new ApiError('unauthorized', message, { 'www-authenticate': 'Bearer' })
}

/** The same answer with or without an API key: keys are not accepted on console routes. */
export const notSignedIn = (challenge = 'Session') =>
  new ApiError('unauthorized', 'You are not signed in. Open the link that npm run console prints.', {
    'www-authenticate': challenge,
  })

/** Unknown and malformed ids, ids of other accounts and ids outside the key's list get the same 404. */
async function findSubject(
  request: FastifyRequest,
  principal: Principal,
  operation: Operation,
  deps: AdmissionDeps,
): Promise<InstanceSubject> {
  const { id = '' } = request.params as { id?: string }
  const reachable = isUuid(id) && canAccessInstance(principal, id.toLowerCase())
  const subject = reachable ? await deps.subject(principal.accountId, id.toLowerCase()) : undefined
  if (subject === undefined || (subject.deleted && operation.reachesDeleted !== true)) {
    throw new ApiError('not_found', 'There is no instance with this id.')
  }
  if (operation.engine !== undefined && operation.engine !== subject.engine) {
    throw new ApiError(
      'engine_mismatch',
      `This operation works only with ${operation.engine} instances, and this is an ${subject.engine} instance.`,
    )
  }
  return subject
}
