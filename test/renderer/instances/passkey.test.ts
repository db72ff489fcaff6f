import { describe, expect, it, test } from 'vitest'
import type { PasskeyView, QrView } from '../../../main/contract/instance.ts'
import { Problem } from '../../../renderer/app/problem.ts'
import { passkeyHindrance } from '../../../renderer/rooms/instances/passkey-readiness.ts'
import {
  followPasskey,
  parseCredential,
  passkeyEnd,
  passkeySteps,
  signingScript,
  troubleOf,
} from '../../../renderer/rooms/instances/passkey.ts'

const OPTIONS = {
  challenge: 'dGhpcyBpcyBhIGNoYWxsZW5nZQ',
  timeout: 600_000,
  rpId: 'whatsapp.com',
  allowCredentials: [],
  userVerification: 'required',
  extensions: { uvm: true },
}
const RESPONSE = { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'BBBB', userHandle: 'CCCC' }
const CREDENTIAL = { id: 'aWQ', rawId: 'aWQ', type: 'public-key', response: RESPONSE }

/** Runs the script as a console does, with a browser that answers. */
async function run(script: string) {
  const shown: unknown[] = []
  const asked: unknown[] = []
  const browser = {
    navigator: {
      credentials: {
        get: async (request: unknown) => {
          asked.push(request)
          return { toJSON: () => CREDENTIAL }
        },
      },
    },
    PublicKeyCredential: { parseRequestOptionsFromJSON: (options: unknown) => options },
    console: { log: (line: unknown) => void shown.push(line) },
  }
  // oxlint-disable-next-line typescript/no-implied-eval -- it is made to be pasted into a console
  const act = new Function(...Object.keys(browser), `return ${script.replaceAll(/^\/\/.*\n/gm, '')}`) as (
    ...given: unknown[]
  ) => Promise<void>
  await act(...Object.values(browser))
  return { shown, asked }
}

describe('the script for a console', () => {
  it('asks for the passkey with the options unchanged, and shows its answer in one line', async () => {
    const { shown, asked } = await run(signingScript(OPTIONS))
    expect(asked).toEqual([{ publicKey: OPTIONS }])
    expect(shown).toEqual([JSON.stringify(CREDENTIAL)])
    expect(parseCredential(String(shown[0]))).toEqual(CREDENTIAL)
  })

  it('has at most ten lines, explains itself and loads nothing', () => {
    const script = signingScript(OPTIONS)
    expect(script.split('\n').length).toBeLessThanOrEqual(10)
    expect(script).toMatch(/^\/\/ /)
    expect(script).not.toMatch(/fetch|import|src|https?:/)
  })

  it('keeps the network’s data inside its strings', async () => {
    const challenge = '"}) }); steal() //\u2028\n`${1}'
    const { asked } = await run(signingScript({ challenge, 'x: steal(), y': '\u2029' } as never))
    expect(asked).toEqual([{ publicKey: { challenge, 'x: steal(), y': '\u2029' } }])
    expect(signingScript({ challenge })).not.toMatch(/\u2028/)
  })
})

describe('the pasted answer', () => {
  const text = JSON.stringify(CREDENTIAL)

  it.each([text, ` ${text}\n`, `'${text}'`, `"${text}"`, JSON.stringify(CREDENTIAL, null, 2)])(
    '%j is read',
    (pasted) => {
      expect(parseCredential(pasted)).toEqual(CREDENTIAL)
    },
  )

  it('is reduced to the fields that are sent', () => {
    const more = { ...CREDENTIAL, clientExtensionResults: {}, response: { ...RESPONSE, userHandle: undefined, x: 1 } }
    expect(parseCredential(JSON.stringify(more))).toEqual({
      ...CREDENTIAL,
      response: { ...RESPONSE, userHandle: null },
    })
  })

  it.each([
    '',
    'null',
    '"x"',
    '[]',
    '{}',
    'Promise {<pending>}',
    JSON.stringify({ ...CREDENTIAL, response: null }),
    JSON.stringify({ ...CREDENTIAL, id: 1 }),
    JSON.stringify({ ...CREDENTIAL, response: { ...RESPONSE, signature: '' } }),
  ])('%j is not an answer', (pasted) => {
    expect(parseCredential(pasted)).toBeUndefined()
  })
})

describe('the steps', () => {
  test('are shown in order, with one of them current', () => {
    expect(passkeySteps('sign').map(({ is }) => is)).toEqual(['current', 'next', 'next', 'next'])
    expect(passkeySteps('compare').map(({ is }) => is)).toEqual(['done', 'done', 'current', 'next'])
    expect(passkeySteps('finishing').map(({ step }) => step)).toEqual(['sign', 'phone', 'compare', 'finishing'])
  })

  const passkey: PasskeyView = {
    ...{ step: 'compare', origin: 'https://web.whatsapp.com', deadline: '2026-03-01T09:41:00.000Z', attempt: 1 },
    code: 'PYSL-SH11',
  }
  const view = (state: QrView['state'], more: Partial<QrView> = {}): QrView => ({
    ...{ qr: null, pairing_code: null, state, expires_at: null, attempt: 1 },
    ...more,
  })
  const { code: _code, ...codeless } = passkey

  test('end with linking the device, without an unrequested code', () => {
    const before = view('passkey_required', { passkey })
    const finishing = view('passkey_required', { passkey: { ...codeless, step: 'finishing' } })
    expect(followPasskey(before, view('pending'))).toEqual(finishing)
    expect(followPasskey(finishing, view('pending'))).toEqual(finishing)
    for (const state of ['connected', 'expired', 'ready'] as const)
      expect(followPasskey(before, view(state))).toEqual(view(state))
    const signing = view('passkey_required', { passkey: { ...codeless, step: 'sign' } })
    for (const start of [undefined, view('ready'), signing])
      expect(followPasskey(start, view('pending'))).toEqual(view('pending'))
  })
})

test('a failed confirmation differs from every other reason to be disconnected', () => {
  expect(['passkey_differs', 'passkey_too_often'].map((reason) => passkeyEnd(reason))).toEqual(['differs', 'too_often'])
  const others = [null, 'user', 'differs', 'passkey_', 'passkey_unheard_of', 'pairing_interrupted']
  expect(others.map((reason) => passkeyEnd(reason))).toEqual(others.map(() => undefined))
  // A restart of the service ends a confirmation, and only who was in one is told so.
  expect(passkeyEnd('pairing_interrupted', true)).toBe('connection_lost')
  expect(passkeyEnd('user', true)).toBeUndefined()
})

test.each([
  ['validation_error', 'mismatch'],
  ['invalid_state', 'superseded'],
  ['upstream_unavailable', 'refused'],
  ['unreachable', 'failed'],
])('%s is shown as %s', (code, trouble) => {
  expect(troubleOf(new Problem(400, code, 'no'))).toBe(trouble)
})

describe('missing passkey support', () => {
  const full = { hybridTransport: true, passkeyPlatformAuthenticator: true }
  const bare = { hybridTransport: false, passkeyPlatformAuthenticator: false }

  test('is reported by this browser, in a browser and on Windows', () => {
    for (const app of [undefined, { way: 'window', hasBluetooth: null } as const]) {
      expect(passkeyHindrance(app, full)).toBeUndefined()
      expect(passkeyHindrance(app, { ...full, hybridTransport: false })).toBe('bluetooth')
      expect(passkeyHindrance(app, { ...full, passkeyPlatformAuthenticator: false })).toBeUndefined()
      expect(passkeyHindrance(app, bare)).toBe('both')
      expect(passkeyHindrance(app, undefined)).toBeUndefined()
    }
  })

  test('is reported by the app if another browser asks', () => {
    expect(passkeyHindrance({ way: 'browser', hasBluetooth: null }, bare)).toBeUndefined()
    expect(passkeyHindrance({ way: 'browser', hasBluetooth: true }, bare)).toBeUndefined()
    expect(passkeyHindrance({ way: 'browser', hasBluetooth: false }, full)).toBe('bluetooth')
    expect(passkeyHindrance({ way: 'none', hasBluetooth: true }, full)).toBe('browser')
  })
})
