import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import type { Sessions } from '../../capabilities/account/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Body } from '../../contract/shapes.ts'
import { networkOf } from '../../kernel/address-range.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Secret } from '../../kernel/secret.ts'
import { notSignedIn } from '../admission.ts'
import { createRateLimiter } from '../rate-limit.ts'
import { browserOf } from '../browser-name.ts'
import { createCheck } from '../validation.ts'
import { noSessionCookie, sessionCookie } from './cookie.ts'

export interface SessionRouteDeps {
  readonly sessions: Pick<Sessions, 'signIn' | 'signOut' | 'isPasswordSet' | 'acceptsPassword'>
  readonly clock: Clock
  readonly log: Log
  readonly version: string
}

const Credential = Body(
  {
    code: Type.Optional(Type.String({ maxLength: 200 })),
    password: Type.Optional(Type.String({ maxLength: LIMITS.passwordLongest })),
    email: Type.Optional(Type.String({ maxLength: 254, description: 'Of a member, with their own password.' })),
    account_id: Type.Optional(
      Type.String({ maxLength: 36, description: 'Whose password it is. Without it, the operator’s.' }),
    ),
  },
  { minProperties: 1 },
)
const checkCredential = createCheck('body', Credential)

/** Session state, sign-in and sign-out. The desktop app needs no sign-in. */
export function addSessionRoutes(app: FastifyInstance, port: () => number, deps: SessionRouteDeps): void {
  const { sessions, log } = deps
  const attempts = createRateLimiter(deps.clock)
  const placeOf = ({ headers }: FastifyRequest) => ({
    port: port(),
    isSecure: headers.origin?.startsWith('https:') === true,
  })
  const isInProcess = ({ admitted }: FastifyRequest) =>
    admitted.principal !== null && admitted.principal.sessionId === undefined

  const endSession = async ({ admitted: { sessionId } }: FastifyRequest) => {
    if (sessionId !== null) await sessions.signOut(sessionId)
  }

  app.get('/panel/session', { config: { console: 'panel', open: true } }, async (request, reply) => {
    const { principal } = request.admitted
    // The window asks for a password only if one is set.
    if (principal === null)
      throw notSignedIn(
        (await sessions.acceptsPassword()) ? 'Session methods="code password"' : 'Session methods="code"',
      )
    reply.header('cache-control', 'no-store')
    return {
      signed_in: true,
      account: { id: principal.accountId, name: principal.accountName },
      role: principal.role,
      member: principal.member ?? null,
      version: deps.version,
      home: isInProcess(request) ? 'desktop' : 'headless',
      password_set: await sessions.isPasswordSet(principal.accountId),
    }
  })

  app.post('/panel/session', { config: { console: 'panel', open: true } }, async (request, reply) => {
    if (isInProcess(request)) return reply.code(204).send()
    const credential = credentialOf(request.body)
    const [what, perMinute] =
      'code' in credential
        ? (['code', LIMITS.refusedCodesPerMinute] as const)
        : (['password', LIMITS.refusedPasswordsPerMinute] as const)
    const bucket = `${what}:${networkOf(request.ip)}`
    // Taken before the result is known; otherwise many guesses could run at the same time.
    throttle(attempts.take(bucket, perMinute))
    const from = { address: request.ip, browser: browserOf(request.headers['user-agent']) }
    let isRefused = false
    let token: Secret | undefined
    try {
      token = await sessions.signIn(credential, from)
      isRefused = token === undefined
    } finally {
      // Returned even if the service was too busy to check, because nothing was guessed.
      if (!isRefused) attempts.giveBack(bucket, perMinute)
    }
    if (token === undefined) {
      log.warn({ event: 'console.sign_in_refused', requestId: request.id })
      throw signInFailed()
    }
    await endSession(request)
    log.info({ event: 'console.signed_in', requestId: request.id })
    return reply
      .code(204)
      .header('set-cookie', sessionCookie(token.open(), placeOf(request)))
      .send()
  })

  app.delete('/panel/session', { config: { console: 'panel', open: true } }, async (request, reply) => {
    if (isInProcess(request)) return reply.code(204).send()
    await endSession(request)
    return reply
      .code(204)
      .header('set-cookie', noSessionCookie(placeOf(request)))
      .send()
  })
}

function throttle({ allowed, retryAfterSeconds }: { allowed: boolean; retryAfterSeconds: number }): void {
  if (allowed) return
  throw new ApiError('rate_limited', `Too many sign-in attempts. Wait ${retryAfterSeconds} s and try again.`, {
    'retry-after': String(retryAfterSeconds),
  })
}

function credentialOf(body: unknown): Parameters<Sessions['signIn']>[0] {
  checkCredential(body)
  const { code, password, email, account_id: accountId } = body as Static<typeof Credential>
  if (email !== undefined && password !== undefined && code === undefined && accountId === undefined)
    return { password, email }
  const isAlone = email === undefined && accountId === undefined
  if (code !== undefined && password === undefined && isAlone) return { code }
  if (password !== undefined && code === undefined && email === undefined)
    return { password, accountId: accountId ?? null }
  throw new ApiError(
    'validation_error',
    'The body must have either code or password, and either email or account_id only with password.',
  )
}

const signInFailed = () =>
  new ApiError(
    'unauthorized',
    `Sign-in failed: the password is wrong, or the link was already used or is older than ${LIMITS.signInCodeMinutes} minutes. Run npm run console for a new link.`,
    { 'www-authenticate': 'Session' },
  )
