import { describe, expect, test } from 'vitest'
import { messagesContract, type SendBody } from '../../../main/capabilities/messages/contract.ts'
import { readDraft, typeOf } from '../../../main/capabilities/messages/draft.ts'
import { createCheck } from '../../../main/faces/validation.ts'

const to = '12025550123'
const media_url = 'https://files.example/a/Invoice%2042.pdf'
const cloud_api = { type: 'template', template: { name: 'hello' } }
const HIDDEN = 'US.13491208655302741918'
const ELSEWHERE = /^cloud_api\.to differs from to\. Remove it/

/** The two checks of a body, in the order of the door. */
function check(body: unknown, engine: 'smv2' | 'official' = 'official') {
  createCheck('body', messagesContract.sendMessage.body)(body)
  return readDraft(body as SendBody, engine)
}

describe('an accepted body', () => {
  test.each([
    ['text', { to, text: 'x' }, { kind: 'text', to, text: 'x' }],
    ['cloud_api', { to, cloud_api }, { kind: 'cloud_api', to, payload: cloud_api }],
    [
      'media with caption and filename',
      { to, media_url, media_type: 'image', caption: 'c', filename: 'f.png' },
      { kind: 'media', to, source: { url: media_url }, mediaType: 'image', caption: 'c', filename: 'f.png' },
    ],
    [
      'a document without a name',
      { to, media_url, media_type: 'document' },
      {
        kind: 'media',
        to,
        source: { url: media_url },
        mediaType: 'document',
        caption: null,
        filename: null,
      },
    ],
    [
      'media without a name',
      { to, media_url, media_type: 'audio' },
      { kind: 'media', to, source: { url: media_url }, mediaType: 'audio', caption: null, filename: null },
    ],
    [
      'a reply',
      { to, text: 'x', quoted_message_id: 'msg_1' },
      { kind: 'text', to, text: 'x', quotedMessageId: 'msg_1' },
    ],
    ['a text of 4,096 characters', { to, text: '😀'.repeat(4_096) }, { kind: 'text', to, text: '😀'.repeat(4_096) }],
  ])('%s', (_name, body, draft) => expect(check(body)).toEqual(draft))

  test('a text of 65,536 characters on smv2', () => {
    const text = 'x'.repeat(65_536)
    expect(check({ to, text }, 'smv2')).toEqual({ kind: 'text', to, text })
  })

  test.each([{ to }, { to: `+${to}` }, { recipient: HIDDEN }])(
    'cloud_api whose recipient is the same, given as %j',
    (same) => {
      const payload = { ...cloud_api, ...same }
      expect(check({ to, cloud_api: payload })).toEqual({ kind: 'cloud_api', to, payload })
    },
  )

  test.each([
    [{ to, text: 'x' }, 'text'],
    [{ to, media_url, media_type: 'video' }, 'video'],
    [{ to, cloud_api }, 'template'],
    [{ to, cloud_api: { text: { body: 'x' } } }, 'text'],
    [{ to, cloud_api: { type: { odd: true } } }, 'text'],
  ] as const)('%j has type %s', (body, type) => expect(typeOf(check(body))).toBe(type))
})

describe('limits of the Cloud API', () => {
  const x = (length: number) => 'x'.repeat(length)
  const interactive = (more: object) => ({ type: 'interactive', interactive: { type: 'button', ...more } })
  const buttons = (...replies: object[]) => interactive({ action: { buttons: replies.map((reply) => ({ reply })) } })
  const list = (...sections: object[]) => interactive({ type: 'list', action: { sections } })
  const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: String(i), title: 'Row' }))
  const reply = (more: object = {}) => ({ id: '1', title: 'Yes', ...more })

  test.each([
    ['text.body', 4_096, (n: number) => ({ text: { body: x(n) } })],
    ['image.caption', 1_024, (n: number) => ({ type: 'image', image: { id: '1', caption: x(n) } })],
    ['document.caption', 1_024, (n: number) => ({ type: 'document', document: { id: '1', caption: x(n) } })],
    ['interactive.header.text', 60, (n: number) => interactive({ header: { type: 'text', text: x(n) } })],
    ['interactive.body.text', 1_024, (n: number) => interactive({ body: { text: x(n) } })],
    ['interactive.body.text', 4_096, (n: number) => interactive({ type: 'list', body: { text: x(n) } })],
    ['interactive.footer.text', 60, (n: number) => interactive({ footer: { text: x(n) } })],
    ['interactive.action.buttons', 3, (n: number) => buttons(...Array.from({ length: n }, () => reply()))],
    ['interactive.action.buttons[1].reply.title', 20, (n: number) => buttons(reply(), reply({ title: x(n) }))],
    ['interactive.action.buttons[0].reply.id', 256, (n: number) => buttons(reply({ id: x(n) }))],
    ['interactive.action.button', 20, (n: number) => interactive({ type: 'list', action: { button: x(n) } })],
    ['interactive.action.sections', 10, (n: number) => list(...Array.from({ length: n }, () => ({ rows: rows(1) })))],
    ['interactive.action.sections[].rows', 10, (n: number) => list({ rows: rows(4) }, { rows: rows(n - 4) })],
    ['interactive.action.sections[0].title', 24, (n: number) => list({ title: x(n), rows: rows(1) })],
    ['interactive.action.sections[0].rows[0].title', 24, (n: number) => list({ rows: [{ id: '1', title: x(n) }] })],
    [
      'interactive.action.sections[0].rows[0].description',
      72,
      (n: number) => list({ rows: [{ id: '1', title: 'Row', description: x(n) }] }),
    ],
    ['interactive.action.sections[0].rows[0].id', 200, (n: number) => list({ rows: [{ id: x(n), title: 'Row' }] })],
    [
      'interactive.action.parameters.display_text',
      20,
      (n: number) => interactive({ type: 'cta_url', action: { parameters: { display_text: x(n) } } }),
    ],
  ])('%s of a raw payload has at most %i', (path, n, payloadOf) => {
    expect(check({ to, cloud_api: payloadOf(n) })).toMatchObject({ kind: 'cloud_api' })
    const field = `cloud_api.${path}`
    expect(refusalOf(() => check({ to, cloud_api: payloadOf(n + 1) }))).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(`${field} must have at most ${n} `),
      detail: { reason: expect.stringMatching(/^field_(length|items)_max$/), params: { field, n } },
    })
  })

  test('a text has at most 4,096 characters, and the error names the engine', () => {
    expect(refusalOf(() => check({ to, text: x(4_097) }))).toMatchObject({
      code: 'validation_error',
      message: 'text must be at most 4096 characters on the official engine.',
      detail: { reason: 'field_length_max', params: { field: 'text', n: 4_096 } },
    })
  })
})

const refusalOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

describe('a message to a group', () => {
  const group = '120363041234567890@g.us'
  const media = { to: group, media_url, media_type: 'image', caption: '@12025550123', mentions: [to] }

  test('can contain text, files, mentions and quotes on smv2', () => {
    const body = { to: group, text: '@12025550123 hi', mentions: [to], quoted_message_id: 'msg_1' }
    const { quoted_message_id: quotedMessageId, ...rest } = body
    expect(check(body, 'smv2')).toEqual({ kind: 'text', ...rest, quotedMessageId })
    expect(check(media, 'smv2')).toMatchObject({ kind: 'media', to: group, mentions: [to] })
  })

  test('can contain text, files and raw payloads on official', () => {
    expect(check({ to: group, text: 'x' })).toMatchObject({ kind: 'text', to: group })
    expect(check({ to: group, cloud_api })).toMatchObject({ kind: 'cloud_api', to: group })
    expect(check({ to: group, media_url, media_type: 'image' })).toMatchObject({ kind: 'media', to: group })
  })

  test.each([
    [{ text: '@12025550123 hi', mentions: [to] }, /no mentions in groups/],
    [{ interactive: { type: 'location_request_message', body: 'Where?' } } as const, /no interactive in groups/],
  ])('cannot contain on official what Meta does not support in groups: %j', (content, words) => {
    expect(() => check({ to: group, ...content })).toThrow(words)
  })

  test.each([
    [{ to, text: '@12025550123', mentions: [to] }, /^mentions is only allowed when to is a group/],
    [{ to: group, text: 'x', mentions: [] }, /^mentions must have at least 1/],
    [{ to: group, text: 'x', mentions: [to, to] }, /^mentions/],
    [{ to: group, text: 'x', mentions: ['@ana'] }, /^mentions/],
    [{ to: '120363041234567890@s.whatsapp.net', text: 'x' }, /^to must be/],
  ])('%j is refused', (body, message) => expect(() => check(body, 'smv2')).toThrow(message))

  test('quoted_message_id is refused beside a raw payload, which contains its own context', () => {
    expect(() => check({ to, cloud_api, quoted_message_id: 'msg_1' })).toThrow(/^quoted_message_id is not allowed/)
  })
})

describe('a GIF', () => {
  const video = { to, media_url, media_type: 'video', gif: true }
  test('is sent as a video on smv2', () => expect(check(video, 'smv2')).toMatchObject({ kind: 'media', isGif: true }))
  test('is refused on official', () => expect(() => check(video)).toThrow(/^gif needs the smv2 engine/))
  test.each([
    [{ ...video, media_type: 'image' }, /^gif is only allowed with media_type video/],
    [{ to, text: 'x', gif: true }, /^gif is only allowed with media_url/],
  ])('%j is refused', (body, message) => expect(() => check(body, 'smv2')).toThrow(message))
})

describe('a voice note', () => {
  const audio = { to, media_url, media_type: 'audio', voice: true }
  test('is sent as audio on smv2', () => expect(check(audio, 'smv2')).toMatchObject({ kind: 'media', isVoice: true }))
  test('is sent as audio on official', () => expect(check(audio)).toMatchObject({ kind: 'media', isVoice: true }))
  test.each([
    [{ ...audio, media_type: 'video' }, /^voice is only allowed with media_type audio/],
    [{ to, text: 'x', voice: true }, /^voice is only allowed with media_url/],
  ])('%j is refused', (body, message) => expect(() => check(body, 'smv2')).toThrow(message))
})

describe('a refused body', () => {
  test.each([
    ['no content', { to }, /^The body has no content\. .*text.*media_url.*cloud_api/],
    [
      'text and media',
      { to, text: 'x', media_url, media_type: 'image' },
      /^The body has text and media_url\. Send exactly one/,
    ],
    ['text and cloud_api', { to, text: 'x', cloud_api }, /^The body has text and cloud_api\./],
    ['all three', { to, text: 'x', media_url, cloud_api }, /^The body has text and media_url and cloud_api\./],
    ['media without type', { to, media_url }, /^media_type is missing\. Set it to/],
    ['type without media', { to, media_type: 'image' }, /^media_type is only allowed with media_url/],
    ['caption with text', { to, text: 'x', caption: 'c' }, /^caption is only allowed with media_url/],
    ['filename with cloud_api', { to, cloud_api, filename: 'f' }, /^filename is only allowed with media_url/],
    [
      'an unknown media type',
      { to, media_url, media_type: 'sticker' },
      /^media_type must be one of image, video, audio, document/,
    ],
    ['no number', { text: 'x' }, /^The body must have to/],
    [
      'a plus sign',
      { to: '+12025550123', text: 'x' },
      /^to must be the destination number with country code: 7 to 15 digits/,
    ],
    ['six digits', { to: '120255', text: 'x' }, /^to must be/],
    ['sixteen digits', { to: '1202555012345678', text: 'x' }, /^to must be/],
    ['a number that is one', { to: 12025550123, text: 'x' }, /^to must be a string/],
    ['an empty text', { to, text: '' }, /^text must have at least 1 character/],
    ['a text that is too long', { to, text: 'x'.repeat(65_537) }, /^text must have at most 65536 characters/],
    ['null for a text', { to, text: null }, /^text must be a string/],
    ['an unknown field', { to, text: 'x', preview: true }, /unknown field "preview"/],
    ['half of a surrogate pair', { to, text: '\ud800' }, /^text contains a lone surrogate/],
    ['cloud_api that is text', { to, cloud_api: 'x' }, /^cloud_api must be an object/],
    ['cloud_api to another number', { to, cloud_api: { ...cloud_api, to: '12025550999' } }, ELSEWHERE],
    ['cloud_api to nobody', { to, cloud_api: { ...cloud_api, to: null } }, ELSEWHERE],
    ['cloud_api to another hidden person', { to: HIDDEN, cloud_api: { ...cloud_api, recipient: 'US.2' } }, ELSEWHERE],
  ])('%s gives 400 validation_error that names the field and the rule', (_name, body, words) => {
    expect(() => check(body)).toThrow(
      expect.objectContaining({ code: 'validation_error', message: expect.stringMatching(words) }),
    )
  })

  test('cloud_api on smv2 gives 400 engine_mismatch', () => {
    expect(() => check({ to, cloud_api }, 'smv2')).toThrow(
      expect.objectContaining({ code: 'engine_mismatch', status: 400 }),
    )
  })

  test('the id of a person who hides their number is accepted only on the official engine', () => {
    const answer = { to: HIDDEN, text: 'x' }
    expect(check(answer, 'official')).toMatchObject(answer)
    expect(() => check(answer, 'smv2')).toThrow(
      expect.objectContaining({ code: 'validation_error', message: expect.stringMatching(/^to must be digits/) }),
    )
  })
})

test('the examples of the contract satisfy their schemas', () => {
  for (const { body, examples, reply } of [messagesContract.sendMessage]) {
    expect(() => createCheck('body', body)(structuredClone(examples.body))).not.toThrow()
    expect(() => createCheck('body', reply.schema)(structuredClone(examples.reply))).not.toThrow()
  }
  for (const { examples, reply } of [messagesContract.getMessage, messagesContract.findMessage]) {
    expect(() => createCheck('body', reply.schema)(structuredClone(examples.reply))).not.toThrow()
  }
})

test('a lookup without idempotency_key is refused', () => {
  const lookup = createCheck('query', messagesContract.findMessage.query)
  expect(() => lookup({})).toThrow(
    expect.objectContaining({ code: 'validation_error', message: expect.stringContaining('idempotency_key') }),
  )
})
