import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSigned, readPublicKey } from '../../../main/capabilities/crm/ghl/signature.ts'
import { ghlWorld, until, type GhlWorld } from './ghl-world.ts'

/** RFC 8032, section 7.1, test 2: made by others. */
const VECTOR = {
  publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  message: '72',
  signature:
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
}

let w: GhlWorld
let instance: any
beforeAll(async () => {
  w = await ghlWorld()
  instance = await w.connected('12025550200')
})
afterAll(() => w.close())

/** As the simulator signs, with its own key from the database. */
async function signed(body: object): Promise<{ text: string; signature: string }> {
  const [key] = await w.rows<{ pkcs8: Uint8Array }>('SELECT pkcs8 FROM sandbox_ghl_keys')
  const privateKey = createPrivateKey({ key: Buffer.from(key?.pkcs8 ?? []), format: 'der', type: 'pkcs8' })
  const text = JSON.stringify(body)
  return { text, signature: sign(null, Buffer.from(text), privateKey).toString('base64') }
}

async function post(path: string, text: string, signature?: string) {
  const answer = await w.service.door.app.inject({
    method: 'POST',
    url: path,
    headers: {
      host: w.host,
      'content-type': 'application/json',
      ...(signature !== undefined && { 'x-ghl-signature': signature }),
    },
    payload: text,
  })
  return answer.statusCode
}

const written = async (messageId: string, more: object = {}) => {
  const { location_id: locationId } = await w.ghl(instance.id)
  return {
    contactId: 'c',
    locationId,
    messageId,
    type: 'SMS',
    phone: '+12025550277',
    message: messageId,
    attachments: [],
    ...more,
  }
}

const received = async (phone: string) => {
  const { data } = await w.must('GET', `/v1/sandbox/phones/${phone}/messages`)
  return data.map(({ text }: any) => text) as string[]
}

test('signature verification agrees with a vector of RFC 8032 and accepts every encoding of a public key', () => {
  const [message, signature] = [Buffer.from(VECTOR.message, 'hex'), Buffer.from(VECTOR.signature, 'hex')]
  const raw = Buffer.from(VECTOR.publicKey, 'hex')
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]).toString('base64')
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`
  for (const spelling of [VECTOR.publicKey, raw.toString('base64'), spki, pem]) {
    const key = readPublicKey(spelling)
    if (key === undefined) throw new Error(`${spelling} is not read`)
    expect(isSigned(key, signature.toString('base64'), message)).toBe(true)
    expect(isSigned(key, signature.toString('base64'), Buffer.from('73', 'hex'))).toBe(false)
    const broken = Buffer.from(signature)
    broken[0] = (broken[0] ?? 0) ^ 1
    expect(isSigned(key, broken.toString('base64'), message)).toBe(false)
    expect(isSigned(key, signature.subarray(1).toString('base64'), message)).toBe(false)
  }
  for (const none of [
    '',
    'x',
    'AAAA',
    generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  ])
    expect(readPublicKey(none)).toBeUndefined()
})

test('openssl verifies the signatures of the simulator', async () => {
  const { text, signature } = await signed({ hello: 'world' })
  const pem = await publicKeyOfSimulator()
  const folder = mkdtempSync(join(tmpdir(), 'ghl-'))
  try {
    writeFileSync(join(folder, 'key.pem'), pem)
    writeFileSync(join(folder, 'body'), text)
    writeFileSync(join(folder, 'signature'), Buffer.from(signature, 'base64'))
    const args = ['pkeyutl', '-verify', '-pubin', '-inkey', 'key.pem', '-rawin', '-in', 'body', '-sigfile', 'signature']
    expect(execFileSync('openssl', args, { cwd: folder }).toString()).toContain('Signature Verified Successfully')
    writeFileSync(join(folder, 'body'), `${text} `)
    expect(() => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })).toThrow()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

async function publicKeyOfSimulator(): Promise<string> {
  const { createPublicKey } = await import('node:crypto')
  const [key] = await w.rows<{ pkcs8: Uint8Array }>('SELECT pkcs8 FROM sandbox_ghl_keys')
  const der = createPrivateKey({ key: Buffer.from(key?.pkcs8 ?? []), format: 'der', type: 'pkcs8' })
  return createPublicKey(der).export({ type: 'spki', format: 'pem' }).toString()
}

test('a callback without a valid signature gets 401, and no message is sent', async () => {
  const { text, signature } = await signed(await written('forged'))
  const wrong = Buffer.from(signature, 'base64')
  wrong[5] = (wrong[5] ?? 0) ^ 1
  for (const path of ['/callbacks/ghl/outbound', '/callbacks/ghl/app']) {
    expect(await post(path, text)).toBe(401)
    expect(await post(path, text, '')).toBe(401)
    expect(await post(path, text, wrong.toString('base64'))).toBe(401)
    expect(await post(path, `${text} `, signature)).toBe(401)
  }
  expect(await w.rows("SELECT seq FROM crm_inbox WHERE external_id = 'forged'")).toEqual([])
})

test.each([
  ['more than 10 attachments', { attachments: Array(11).fill('https://media.sandbox/image.png') }],
  ['longer than 2048 characters', { attachments: [`https://media.sandbox/${'a'.repeat(2_048)}`] }],
  ['longer than 65536 characters', { message: 'a'.repeat(65_537) }],
])(
  'a message that is %s is not sent, not even in part, and its status is failed with that reason',
  async (why, more) => {
    const id = `much ${why}`
    const before = await received('12025550277')
    const { text, signature } = await signed(await written(id, more))
    expect(await post('/callbacks/ghl/outbound', text, signature)).toBe(200)
    const [status] = await until(async () => {
      const found = await w.rows('SELECT status, error FROM crm_statuses WHERE external_id = :id', { id })
      expect(found).toHaveLength(1)
      return found
    })
    expect(status).toMatchObject({ status: 'failed', error: expect.stringContaining(why) })
    expect(await received('12025550277')).toEqual(before)
  },
)

test('a message that is posted twice is sent once', async () => {
  const { text, signature } = await signed(await written('once'))
  expect(await post('/callbacks/ghl/outbound', text, signature)).toBe(200)
  expect(await post('/callbacks/ghl/outbound', text, signature)).toBe(200)
  await until(async () => expect(await received('12025550277')).toEqual(['once']))
  const [sent] = await w.rows<{ key: string; source: string }>(
    "SELECT idem_key AS key, source FROM messages WHERE idem_key = 'ghl:once'",
  )
  expect(sent).toEqual({ key: 'ghl:once', source: 'ghl' })
  expect(await post('/callbacks/ghl/outbound', text, signature)).toBe(200)
  expect(await received('12025550277')).toEqual(['once'])
})

test('a duplicate callback sends nothing twice, and a message with a bad signature is sent when it is posted again', async () => {
  await w.say('12025550278', '12025550200', 'Hi')
  const { id } = await until(async () => {
    const found = await w.conversation('12025550278')
    expect(found).toBeDefined()
    return found
  })
  await w.must('POST', '/v1/sandbox/ghl/faults', { kind: 'duplicate_delivery', times: 1 })
  await w.must('POST', `/v1/sandbox/ghl/conversations/${id}/messages`, { text: 'Twice posted' })
  await w.must('POST', '/v1/sandbox/ghl/faults', { kind: 'bad_signature', times: 1 })
  await w.must('POST', `/v1/sandbox/ghl/conversations/${id}/messages`, { text: 'Badly signed' })
  await until(async () =>
    expect((await received('12025550278')).toReversed()).toEqual(['Twice posted', 'Badly signed']),
  )
})

test('a callback without a valid message or with an unknown location is refused', async () => {
  for (const [body, status] of [
    [[], 400],
    [{ locationId: 'x' }, 400],
    [await written('mail', { type: 'Email' }), 400],
    [await written('elsewhere', { locationId: 'nowhere' }), 404],
  ] as const) {
    const { text, signature } = await signed(body)
    expect([body, await post('/callbacks/ghl/outbound', text, signature)]).toEqual([body, status])
  }
})

test('an unknown event gets 200 and is ignored', async () => {
  const { text, signature } = await signed({ type: 'OpportunityCreate', locationId: 'x' })
  expect(await post('/callbacks/ghl/app', text, signature)).toBe(200)
})
