import fastify from 'fastify'
import { expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { LIMITS } from '../../main/contract/limits.ts'
import { addSessionRoutes, type SessionRouteDeps } from '../../main/faces/panel/session-route.ts'
import { fakeClock } from '../support/clock.ts'

test.each([
  ['too many passwords wait', () => new ApiError('rate_limited', 'Too many passwords are being checked.')],
  ['the disk is full', () => new ApiError('storage_full', 'The disk is full.')],
  ['of a fault', () => new Error('the database is closed')],
])('a sign-in that is not checked because %s uses up no attempt', async (_, fault) => {
  const state = { isBusy: true }
  const sessions: Partial<SessionRouteDeps['sessions']> = {
    async signIn() {
      if (state.isBusy) throw fault()
      return undefined
    },
  }
  const app = fastify()
  app.decorateRequest('admitted', { getter: () => ({ principal: null, sessionId: null }) as never })
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof ApiError ? error.status : 500).send())
  addSessionRoutes(app, () => 0, {
    ...{ clock: fakeClock(), version: '1', log: { info() {}, warn() {} } as never },
    sessions: sessions as SessionRouteDeps['sessions'],
  })
  const guess = async () => {
    const payload = { password: 'not the password' }
    return (await app.inject({ method: 'POST', url: '/panel/session', payload })).statusCode
  }
  const unchecked = new Set<number>()
  for (let attempt = 0; attempt < LIMITS.refusedPasswordsPerMinute; attempt++) unchecked.add(await guess())
  expect([...unchecked]).toEqual([fault() instanceof ApiError ? (fault() as ApiError).status : 500])

  state.isBusy = false
  for (let attempt = 0; attempt < LIMITS.refusedPasswordsPerMinute; attempt++) expect(await guess()).toBe(401)
  expect(await guess()).toBe(429)
  await app.close()
})
