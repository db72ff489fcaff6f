import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instancesContract } from '../../../main/capabilities/instances/contract.ts'
import { world, type World } from '../../support/world.ts'

const OURS = '12025550100'
const { credential } = instancesContract.answerInstancePasskey.examples.body

/** The whole way over HTTP, as a program or the window goes it. */
describe('an account that asks for its passkey', () => {
  let w: World
  let id: string

  beforeAll(async () => {
    w = await world()
    id = (await w.api('POST', '/v1/instances', {})).body.id
    await w.api('POST', '/v1/sandbox/phones', { number: OURS, passkey: true })
    const { pairing_code } = (await qr()).body
    await w.api('POST', `/v1/sandbox/phones/${OURS}/scan`, { pairing_code })
    await w.quiet()
  })
  afterAll(() => w.close())

  const qr = () => w.api('GET', `/v1/instances/${id}/qr`)
  const status = async () => (await w.api('GET', `/v1/instances/${id}`)).body.status
  const respond = (body: object) => w.api('POST', `/v1/instances/${id}/passkey/response`, body)
  const confirm = (body: object) => w.api('POST', `/v1/instances/${id}/passkey/confirm`, body)

  test('says what to sign, where and until when, and is not cached', async () => {
    const { body, headers } = await qr()
    expect(body).toMatchObject({
      ...{ state: 'passkey_required', qr: null, pairing_code: null },
      passkey: { step: 'sign', attempt: 1, origin: 'https://web.whatsapp.com', options: { rpId: 'whatsapp.com' } },
    })
    expect(body.passkey).not.toHaveProperty('code')
    expect(headers['cache-control']).toBe('no-store')
    expect(await status()).toBe('passkey_required')
  })

  test('refuses an answer without its parts, or to another request', async () => {
    expect((await respond({ attempt: 1, credential: { id: 'x' } })).body.error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('rawId'),
    })
    const late = await respond({ attempt: 7, credential })
    expect([late.status, late.body.error.code]).toEqual([409, 'invalid_state'])
    expect(late.body.error.message).toContain('passkey_superseded')
    expect((await confirm({ attempt: 1, match: true })).body.error.message).toContain('passkey_not_asked')
    expect((await qr()).body.passkey.step).toBe('sign')
  })

  test('is connected after the answer and the comparison, and events never contain the signed data', async () => {
    const mark = await w.mark()
    // As a browser writes it: with members that are not passed on.
    const given = { ...credential, authenticatorAttachment: 'platform', clientExtensionResults: {} }
    const answered = await respond({ attempt: 1, credential: given })
    expect([answered.status, answered.body.passkey]).toMatchObject([202, { step: 'phone' }])
    expect(answered.headers['cache-control']).toBe('no-store')
    await w.clock.advance(1_000)
    const { passkey } = (await qr()).body
    expect(passkey).toMatchObject({ step: 'compare', code: expect.stringMatching(/^\w{4}-\w{4}$/) })
    expect(passkey).not.toHaveProperty('options')
    expect((await confirm({ attempt: 1, match: true })).body.passkey.step).toBe('finishing')
    await w.clock.advance(2_000)
    await w.quiet()
    expect(await status()).toBe('connected')
    const events = await w.eventsSince(mark)
    expect(events.map(({ type, data }) => [type, data['reason']])).toEqual([
      ['instance.connecting', 'passkey'],
      ['instance.connected', undefined],
    ])
    expect(JSON.stringify(events)).not.toContain(credential.id)
  })

  test('may be cancelled, and says how to continue after it failed', async () => {
    await w.api('POST', `/v1/instances/${id}/disconnect?confirm=true`, { logout: true })
    await w.api('POST', `/v1/instances/${id}/qr/refresh`)
    const { pairing_code } = (await qr()).body
    await w.api('POST', `/v1/sandbox/phones/${OURS}/scan`, { pairing_code })
    await w.quiet()
    await respond({ attempt: 1, credential })
    await w.clock.advance(1_000)
    await confirm({ attempt: 1, match: false })
    await w.quiet()
    const { body } = await w.api('GET', `/v1/instances/${id}/health`)
    expect(body.issues).toMatchObject([{ code: 'passkey_failed', message: expect.stringContaining('differ') }])
    expect((await qr()).body).toMatchObject({ state: 'expired' })
    expect((await w.api('GET', `/v1/instances/${id}`)).body.last_disconnect_reason).toBe('passkey_differs')
  })
})
