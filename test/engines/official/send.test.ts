import { bodyText } from '../../support/body-text.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contentOf } from '../../../main/kernel/file-content.ts'
import type { Outgoing } from '../../../main/engines/engine.ts'
import { settle } from '../../support/clock.ts'
import { departing } from '../../support/engine.ts'
import {
  ANA,
  answered,
  cloudWorld,
  failed,
  graphError,
  PHONE_NUMBER_ID,
  TOKEN,
  type CloudWorld,
} from './cloud-world.ts'

let world: CloudWorld
beforeEach(async () => {
  world = await cloudWorld()
})
afterEach(() => world.close())

const bodies = () => world.asked.map(({ body }) => bodyText(body))
/** Answers to sends; everything else as usual. */
const onSend = (answer: ReturnType<typeof answered>) =>
  world.answer((_request, path) => (path.endsWith('/messages') ? answer : undefined))

describe('a text', () => {
  test('goes to the URL of the number with its token, and contains the message_id', async () => {
    const instance = await world.connected()
    const { messageId, outcome } = await world.send(instance)
    expect(outcome).toMatchObject({
      kind: 'accepted',
      status: 'queued',
      engineMessageId: expect.stringMatching(/^wamid/),
    })
    const [asked] = world.asked
    expect(asked).toMatchObject({ method: 'POST', url: `https://graph.example/v26.0/${PHONE_NUMBER_ID}/messages` })
    expect(asked?.headers['authorization']).toBe(`Bearer ${TOKEN}`)
    expect(JSON.parse(bodies()[0] ?? '')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: ANA,
      type: 'text',
      text: { body: 'Hello', preview_url: false },
      biz_opaque_callback_data: messageId,
    })
  })

  test('to a person who hides their number goes to Meta’s id', async () => {
    const instance = await world.connected()
    await world.send(instance, { to: 'US.13491208655302741918' })
    const sent = JSON.parse(bodies()[0] ?? '')
    expect(sent.recipient).toBe('US.13491208655302741918')
    expect(sent).not.toHaveProperty('to')
  })
})

test('as a reply contains the quoted message’s id from Meta', async () => {
  const instance = await world.connected()
  const quoted = { engineMessageId: 'wamid.1', chat: ANA, isOwn: false, participant: null, type: 'text', text: 'Open?' }
  await world.send(instance, { kind: 'text', text: 'Yes', quoted })
  expect(JSON.parse(bodies()[0] ?? '')).toMatchObject({ context: { message_id: 'wamid.1' }, text: { body: 'Yes' } })
})

describe('a raw payload', () => {
  test.each([
    ['{"type":"template","template":{"name":"hello_world","language":{"code":"en_US"}}}'],
    [
      '{"zKey":1,"aKey":{"myCamelKey":[1,2,{"snake_key":null}]},"type":"interactive","interactive":{"b":1.5,"a":"é☕"}}',
    ],
    ['{"type":"reaction","reaction":{"message_id":"wamid.x","emoji":"👍"},"to":"+12025550101"}'],
    [
      '{"messaging_product":"whatsapp","recipient_type":"individual","type":"text","text":{"body":"x"},"biz_opaque_callback_data":"mine"}',
    ],
  ])('is sent to Graph unchanged and in order: %s', async (text) => {
    const instance = await world.connected()
    const { messageId } = await world.send(instance, {
      kind: 'cloud_api',
      payload: JSON.parse(text) as object,
    })
    const sent = bodies()[0] ?? ''
    // What was given stands in it as one piece, byte for byte; around it only what was absent.
    expect(sent).toContain(text.slice(1, -1))
    const around = JSON.parse(sent.replace(text.slice(1, -1), '"given":1')) as object
    const own = JSON.parse(text) as object
    const added = {
      ...('messaging_product' in own ? {} : { messaging_product: 'whatsapp' }),
      ...('recipient_type' in own ? {} : { recipient_type: 'individual' }),
      ...('to' in own ? {} : { to: ANA }),
      ...('biz_opaque_callback_data' in own ? {} : { biz_opaque_callback_data: messageId }),
    }
    expect(around).toEqual({ ...added, given: 1 })
  })
})

describe('a file', () => {
  const file = (more: object = {}) =>
    ({
      kind: 'media',
      mediaType: 'document',
      mimeType: 'application/pdf',
      content: contentOf(Buffer.from('%PDF')),
      caption: 'Look',
      filename: 'a.pdf',
      ...more,
    }) as Partial<Outgoing>

  test('is uploaded first, then sent by its id', async () => {
    const instance = await world.connected()
    await world.send(instance, file())
    expect(world.asked.map(({ url }) => new URL(url).pathname)).toEqual([
      `/v26.0/${PHONE_NUMBER_ID}/media`,
      `/v26.0/${PHONE_NUMBER_ID}/messages`,
    ])
    const form = await new Response(new Uint8Array((world.asked[0]?.body as Buffer | undefined) ?? Buffer.alloc(0)), {
      headers: { 'content-type': world.asked[0]?.headers['content-type'] ?? '' },
    }).formData()
    expect([form.get('messaging_product'), form.get('type')]).toEqual(['whatsapp', 'application/pdf'])
    const uploaded = form.get('file') as File
    expect([uploaded.name, uploaded.type]).toEqual(['document.pdf', 'application/pdf'])
    expect(Buffer.from(await uploaded.arrayBuffer()).toString()).toBe('%PDF')
    expect(JSON.parse(bodies()[1] ?? '')).toMatchObject({
      type: 'document',
      document: { id: '4490709327384033', caption: 'Look', filename: 'a.pdf' },
    })
  })

  test('is marked as possibly sent once it is uploaded, and not before', async () => {
    const instance = await world.connected()
    const askedBefore: number[] = []
    const leave = async () => void askedBefore.push(world.asked.length)
    await world.send(instance, file(), leave)
    await world.send(instance, {}, leave)
    expect(askedBefore).toEqual([1, 2])
  })

  test('that is a recording is sent without a caption, which Graph would refuse', async () => {
    const instance = await world.connected()
    await world.send(instance, file({ mediaType: 'audio', mimeType: 'audio/ogg' }))
    expect(JSON.parse(bodies()[1] ?? '').audio).toEqual({ id: '4490709327384033' })
  })

  test.each([
    [512 * 1024, { id: '4490709327384033', voice: true }],
    [512 * 1024 + 1, { id: '4490709327384033' }],
  ])('that is a voice note of %i bytes is sent as %j', async (size, audio) => {
    const instance = await world.connected()
    const voice = { mediaType: 'audio', mimeType: 'audio/ogg', isVoice: true, content: contentOf(Buffer.alloc(size)) }
    await world.send(instance, file(voice))
    expect(bodies()[0]).toContain('filename="voice.ogg"\r\nContent-Type: audio/ogg\r\n')
    expect(JSON.parse(bodies()[1] ?? '').audio).toEqual(audio)
  })

  test('that Meta does not accept is refused before anything is sent', async () => {
    const instance = await world.connected()
    const { outcome } = await world.send(instance, file({ mimeType: 'application/zip' }))
    expect(outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining('application/zip') })
    expect(world.asked).toEqual([])
  })

  test.each([
    ['is not answered', failed('headers_timeout', true)],
    ['is answered with nonsense', answered(200, '<html>')],
    ['meets a fault of Meta’s', graphError(131_016, 'x', 503)],
  ])('is not sent if its upload %s', async (_what, answer) => {
    const instance = await world.connected()
    world.answer((_request, path) => (path.endsWith('/media') ? answer : undefined))
    expect((await world.send(instance, file())).outcome).toMatchObject({ kind: 'nothing_sent' })
    expect(world.asked).toHaveLength(1)
  })
})

describe('the outcome of a send', () => {
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'connect_timeout', 'CERT_HAS_EXPIRED'])(
    'is nothing_sent after %s before any byte was sent',
    async (code) => {
      const instance = await world.connected()
      onSend(failed(code, false))
      expect((await world.send(instance)).outcome).toMatchObject({ kind: 'nothing_sent' })
      expect(world.official.engine.evidence(instance).reachable).toBe(false)
    },
  )

  test.each([
    ['no header in time', failed('headers_timeout', true)],
    ['the connection is cut', failed('UND_ERR_SOCKET', true)],
    ['called off at the deadline', failed('aborted', true)],
    ['half of the answer', { ...answered(200, '{"messages":[{"id":"wam'), truncated: true }],
    ['malformed JSON', answered(200, '{"messages":[{"id":"wam')],
    ['an answer without an id', answered(200, { messages: [] })],
    ['an error page of a server', answered(502, '<html>Bad gateway</html>')],
    ['a server error with an unknown code', graphError(999_999, 'x', 500)],
  ])('is unknown after: %s', async (_what, answer) => {
    const instance = await world.connected()
    onSend(answer)
    expect((await world.send(instance)).outcome).toMatchObject({ kind: 'unknown' })
  })

  test.each([
    [190, { kind: 'not_ready' }],
    [10, { kind: 'not_ready' }],
    [133_010, { kind: 'not_ready' }],
    [368, { kind: 'not_ready' }],
    [130_429, { kind: 'nothing_sent', throttles: 'number' }],
    [131_056, { kind: 'nothing_sent', throttles: 'pair' }],
    [131_047, { kind: 'refused', error: { code: 'outside_window' } }],
    [131_026, { kind: 'refused', error: { code: 'undeliverable' } }],
    [131_049, { kind: 'refused', error: { code: 'marketing_limit' } }],
    [132_001, { kind: 'invalid', message: 'Meta refused the message (132001): Details of Meta' }],
    [100, { kind: 'invalid' }],
    [131_016, { kind: 'nothing_sent' }],
    [777_777, { kind: 'refused', error: { code: 'engine_rejected', provider_code: 777_777 } }],
  ])('after the Graph error %i is %j', async (code, outcome) => {
    const instance = await world.connected()
    onSend(graphError(code))
    expect((await world.send(instance)).outcome).toMatchObject(outcome)
  })

  test('includes Meta’s Retry-After', async () => {
    const instance = await world.connected()
    const { body } = graphError(130_429) as { body: Buffer }
    onSend(answered(429, body, { 'retry-after': '17' }))
    expect((await world.send(instance)).outcome).toMatchObject({ retryAfterSeconds: 17 })
  })

  test('after an invalid token is reported once, however many sends meet it, and nothing more is sent with it', async () => {
    const instance = await world.connected()
    onSend(graphError(190, 'x', 401))
    await Promise.all([world.send(instance), world.send(instance), world.send(instance)])
    expect(world.of(instance, 'auth_failed')).toEqual([
      { kind: 'auth_failed', reason: 'token_revoked', code: 190, untilMs: null },
    ])
    world.asked.splice(0)
    expect((await world.send(instance)).outcome).toMatchObject({ kind: 'not_ready' })
    expect(world.asked).toEqual([])
    expect(await world.official.engine.onboarding?.token(instance)).toEqual(expect.any(String))
  })

  test('is not_ready with a locked keychain, and nothing is sent', async () => {
    const instance = await world.connected()
    await world.restart()
    await world.official.engine.resume(instance)
    world.vault.key = null
    expect((await world.send(instance)).outcome).toMatchObject({ kind: 'not_ready' })
    expect(world.asked).toEqual([])
  })

  test('is not_ready without a number, and nothing is sent', async () => {
    expect((await world.send(world.instance())).outcome).toMatchObject({ kind: 'not_ready' })
    expect(world.asked).toEqual([])
  })
})

test('a message is not sent if it cannot be marked as possibly sent first', async () => {
  const instance = await world.connected()
  const leave = () => Promise.reject(new Error('disk full'))
  expect((await world.send(instance, {}, leave)).outcome).toMatchObject({ kind: 'nothing_sent' })
  expect(world.asked).toEqual([])
})

test('the caller’s deadline aborts the request to Meta', async () => {
  const instance = await world.connected()
  const controller = new AbortController()
  world.answer(({ signal }) =>
    signal ? new Promise((end) => signal.addEventListener('abort', () => end(failed('aborted', true)))) : undefined,
  )
  const sending = world.official.engine.send(
    instance,
    'msg_x' as never,
    { kind: 'text', to: ANA, text: 'x' },
    departing(controller.signal),
  )
  await settle()
  controller.abort()
  expect(await sending).toMatchObject({ kind: 'unknown' })
})
