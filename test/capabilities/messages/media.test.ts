import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MediaSource } from '../../../main/capabilities/messages/media.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { createOutbound, type Outbound, type Responder } from '../../../main/outbound/outbound.ts'
import type { Converted, MediaConverter } from '../../../main/kernel/media-converter.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { sampleFile, wave } from '../../support/samples.ts'
import { accepted, bench, bodyOf, refusal, settle, type Bench } from './bench.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const MEGABYTE = 1024 * 1024

let b: Bench
let outbound: Outbound
let clock: FakeClock
let fetched: string[]
let answer: Responder
let converted: Converted
let asked: string[]

const file = (more: { status?: number; type?: string; body?: Buffer; truncated?: boolean } = {}): Responder => {
  const { status = 200, type = 'image/png', body = Buffer.from('PNG'), truncated = false } = more
  return async () => ({ kind: 'response', status, headers: { 'content-type': type }, body, truncated, remoteIp: null })
}

beforeEach(async () => {
  clock = fakeClock()
  outbound = createOutbound({ clock, resolve: async () => ['93.184.216.34'], trustedRanges: [] })
  fetched = []
  answer = file()
  outbound.addResponder('media.sandbox', (request) => {
    fetched.push(request.url.pathname)
    return answer(request)
  })
  converted = { kind: 'unavailable' }
  asked = []
  const convert: MediaConverter['convert'] = async (_, target) => {
    asked.push(target)
    return converted
  }
  b = await bench({ media: outbound, converter: { convert } })
})
afterEach(async () => {
  await b.close()
  await outbound.close()
})

const image = (more: object = {}) => ({
  to: '12025550123',
  media_url: 'https://media.sandbox/image.png',
  media_type: 'image' as const,
  ...more,
})
const stored = () => b.raw.prepare('SELECT type, text, media FROM messages').all()
const leftovers = () => readdirSync(join(b.home, 'files', 'incoming'))
const keys = () => (b.raw.prepare('SELECT count(*) AS n FROM idempotency_keys').get() as { n: number }).n

describe('a media message', () => {
  test('is downloaded and passed to the engine, and the file is deleted afterwards', async () => {
    const given: Buffer[] = []
    b.engine.plan = async (_, out) => {
      if (out.kind === 'media') given.push(await buffer(await out.content.read()))
      return accepted('3EB0')
    }
    answer = file({ type: 'Image/PNG; charset=binary' })
    const reply = await b.send(image({ caption: 'Look', filename: 'a.png' }), { key: 'k' })
    expect(bodyOf(reply)).toMatchObject({ sent: true })
    expect(b.engine.asked[0]?.out).toEqual({
      kind: 'media',
      to: '12025550123',
      mediaType: 'image',
      mimeType: 'image/png',
      content: expect.objectContaining({ size: 3 }),
      caption: 'Look',
      filename: 'a.png',
    })
    expect(given).toEqual([Buffer.from('PNG')])
    await expect.poll(leftovers).toEqual([])
    const media = {
      url: 'https://media.sandbox/image.png',
      mime_type: 'image/png',
      size: 3,
      filename: 'a.png',
      caption: 'Look',
    }
    expect(stored()).toEqual([{ type: 'image', text: 'Look', media: JSON.stringify(media) }])
  })

  test('that is replayed is not downloaded again', async () => {
    const first = await b.send(image(), { key: 'k' })
    answer = file({ status: 404 })
    expect(await b.send(image(), { key: 'k' })).toEqual({ bytes: first.bytes, replayed: true })
    expect(fetched).toEqual(['/image.png'])
  })

  test('of a campaign is downloaded once for all recipients, and deleted a while after the last one', async () => {
    const given: string[] = []
    b.engine.plan = async (_, out) => {
      if (out.kind === 'media') given.push((await buffer(await out.content.read())).toString())
      return accepted('3EB0')
    }
    const send = (n: number, campaignId = 'cmp_1') =>
      b.send(image({ to: `1202555010${n}` }), { origin: { kind: 'campaign', campaignId, position: n } })
    await Promise.all([send(1), send(2)])
    await send(3)
    expect([given, fetched]).toEqual([['PNG', 'PNG', 'PNG'], ['/image.png']])
    await send(4, 'cmp_2')
    expect(fetched).toHaveLength(2)
    expect(leftovers()).toHaveLength(2)
    await b.clock.advance(15 * 60_000)
    await expect.poll(leftovers).toEqual([])
    await send(5)
    expect(fetched).toHaveLength(3)
  })

  test('of a campaign is downloaded again for the next recipient after a failure', async () => {
    answer = file({ status: 503 })
    const send = () => b.send(image(), { origin: { kind: 'campaign', campaignId: 'cmp_1', position: 1 } })
    expect(await refusal(send())).toMatchObject({ code: 'validation_error' })
    answer = file()
    expect(bodyOf(await send())).toMatchObject({ sent: true })
    expect(fetched).toHaveLength(2)
  })

  test('is not downloaded for an instance that is not connected', async () => {
    await b.connect(false)
    expect(await refusal(b.send(image()))).toMatchObject({ code: 'not_ready' })
    expect(fetched).toEqual([])
  })

  test.each([
    ['an error', file({ status: 404 }), {}, /answered 404\./],
    ['a redirect', file({ status: 302 }), {}, /answered 302; redirects are not followed/],
    ['another type', file({ type: 'text/html' }), {}, /returned text\/html, which does not match media_type image/],
    ['no type', file({ type: '' }), { media_url: 'https://media.sandbox/x' }, /returned application\/octet-stream/],
    ['an empty file', file({ body: Buffer.alloc(0) }), {}, /empty file/],
    [
      'an image over 5 MB',
      file({ body: Buffer.alloc(5 * MEGABYTE + 1) }),
      {},
      /larger than 5 MB, the maximum for image/,
    ],
    [
      'audio over 16 MB',
      file({ body: Buffer.alloc(16 * MEGABYTE + 1), type: 'audio/ogg' }),
      { media_type: 'audio' },
      /larger than 16 MB/,
    ],
    [
      'video over 16 MB',
      file({ body: Buffer.alloc(16 * MEGABYTE + 1), type: 'video/mp4' }),
      { media_type: 'video' },
      /larger than 16 MB/,
    ],
    ['a body that breaks off', file({ truncated: true }), {}, /did not return the whole file within 10 seconds/],
  ] as const)(
    'whose file is %s gets 400 and leaves no row, no key and no event',
    async (_name, responder, more, words) => {
      answer = responder
      const error = await refusal(b.send(image(more), { key: 'k' }))
      expect(error).toMatchObject({ code: 'validation_error', message: expect.stringMatching(words) })
      expect([stored(), keys(), b.engine.asked, b.events()]).toEqual([[], 0, [], []])
      answer = file()
      expect((await b.send(image(), { key: 'k' })).replayed).toBe(false)
    },
  )

  test.each([
    ['image of exactly 5 MB', file({ body: Buffer.alloc(5 * MEGABYTE) }), {}],
    ['ogg that names only its container', file({ type: 'application/ogg' }), { media_type: 'audio' }],
    ['image whose server names no type', file({ type: 'binary/octet-stream' }), {}],
    ['image under a name that is not registered', file({ type: 'image/jpg' }), {}],
    ['document of any type', file({ type: 'application/pdf' }), { media_type: 'document' }],
  ] as const)('whose file is an %s is sent', async (_name, responder, more) => {
    answer = responder
    await expect(b.send(image(more))).resolves.toMatchObject({ replayed: false })
  })

  test('whose file does not arrive within ten seconds gets 400', async () => {
    answer = () => new Promise(() => {})
    const error = refusal(b.send(image()))
    await settle()
    await clock.advance(9_999)
    await clock.advance(1)
    expect(await error).toMatchObject({ code: 'validation_error', message: expect.stringMatching(/within 10 seconds/) })
    expect(clock.waiting()).toBe(0)
  })

  test.each([
    'http://127.0.0.1/a.png',
    'https://[::1]/a.png',
    'https://10.0.0.7/a.png',
    'https://localhost/a.png',
    'https://user:pw@files.example/a.png',
    'ftp://files.example/a.png',
    'not an address',
    'https://nobody.sandbox/a.png',
  ])('with the URL %s gets 400 invalid_url and nothing is downloaded', async (media_url) => {
    expect(await refusal(b.send(image({ media_url }), { key: 'k' }))).toMatchObject({
      code: 'invalid_url',
      status: 400,
    })
    expect([stored(), keys(), fetched]).toEqual([[], 0, []])
  })
})

describe('a file that is converted', () => {
  const NEW = Buffer.from('converted')
  const voice = { media_type: 'audio' as const, voice: true }
  const gif = { media_type: 'video' as const, gif: true }
  const mp3 = file({ type: 'audio/mpeg' })

  test.each([
    ['an mp3 as a voice note', voice, mp3, 'voice', 'audio/ogg'],
    ['a GIF file as a GIF', gif, file({ type: 'image/gif' }), 'mp4', 'video/mp4'],
  ])('%s', async (_, more, found, target, mimeType) => {
    answer = found
    const loudness = target === 'voice' ? Buffer.alloc(64, 7) : null
    converted = { kind: 'done', bytes: NEW, loudness }
    const given: Buffer[] = []
    b.engine.plan = async (_id, out) => {
      if (out.kind === 'media') given.push(await buffer(await out.content.read()))
      return accepted('3EB0')
    }
    await b.send(image(more))
    expect([asked, given]).toEqual([[target], [NEW]])
    expect(b.engine.asked[0]?.out).toMatchObject({ mimeType, ...(loudness && { loudness }) })
    expect(stored()).toMatchObject([{ media: expect.stringContaining(`"mime_type":"${mimeType}","size":9`) }])
    await expect.poll(leftovers).toEqual([])
  })

  test('a voice recording in the right format is sent unchanged, and so are files that need no conversion', async () => {
    answer = file({ type: 'audio/ogg', body: sampleOf('audio').bytes })
    await b.send(image(voice))
    answer = mp3
    await b.send(image({ media_type: 'audio' }))
    answer = file({ type: 'video/mp4' })
    await b.send(image(gif))
    expect([asked, b.engine.asked.length]).toEqual([[], 3])
  })

  test.each([
    [{ kind: 'unreadable' }, 'validation_error', /cannot be converted to a voice note\. Use an mp3, m4a, aac, wav/],
    [{ kind: 'too_slow' }, 'validation_error', /takes too long to convert to a voice note\. Use a shorter recording/],
    [{ kind: 'unavailable' }, 'service_unavailable', /Repeat the request in 10 seconds/],
  ] as const)(
    'with the result %o nothing is sent or stored, and the key can be used again',
    async (result, code, message) => {
      answer = mp3
      converted = result
      const error = await refusal(b.send(image(voice), { key: 'k' }))
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
      expect([stored(), keys(), leftovers(), b.engine.asked]).toEqual([[], 0, [], []])
    },
  )

  test('a GIF file is refused as a video unless gif is set', async () => {
    answer = file({ type: 'image/gif' })
    expect(await refusal(b.send(image({ media_type: 'video' })))).toMatchObject({ code: 'validation_error' })
  })
})

test('files of sends in progress are limited: one document too many is refused, and downloaded files count with their size', async () => {
  const held: (() => void)[] = []
  const waiting: MediaSource = {
    checkUrl: async (url) => new URL(url),
    request: () => Promise.reject(new Error('no link is sent')),
    open: () =>
      new Promise((resolve) => {
        const body = Readable.from([Buffer.from('x')])
        held.push(() => resolve({ kind: 'stream', status: 200, headers: {}, body, remoteIp: null }))
      }),
  }
  const room = await bench({ media: waiting })
  const document = image({ media_type: 'document' })
  const sends = Array.from({ length: 5 }, () => room.send(document))
  await settle()
  expect(await refusal(room.send(document))).toMatchObject({ code: 'service_unavailable' })
  await expect(room.send({ to: '12025550123', text: 'texts still go' })).resolves.toMatchObject({ replayed: false })
  for (const release of held) release()
  await Promise.all(sends)
  await room.close()
})

describe('on the official engine', () => {
  const engine = { engine: 'official' as const }
  const document = { media_type: 'document' as const }
  const audio = { media_type: 'audio' as const }
  const photo = file({ type: 'image/webp', body: sampleFile('photo.jpg') })
  const JPEG = Buffer.from('converted')

  test.each([
    [
      'a GIF becomes a JPEG',
      {},
      file({ type: 'image/gif', body: sampleFile('moving.gif') }),
      'photo',
      'image/jpeg',
      false,
    ],
    ['a wav becomes Ogg/Opus', audio, file({ type: 'audio/wav', body: wave(1) }), 'voice', 'audio/ogg', false],
    ['a wav becomes a voice note', { ...audio, voice: true }, file({ body: wave(1) }), 'voice', 'audio/ogg', true],
  ])('%s', async (_, more, found, target, mimeType, isVoice) => {
    answer = found
    converted = { kind: 'done', bytes: JPEG, loudness: null }
    await b.send(image(more), engine)
    const out = b.engine.asked[0]?.out
    expect([asked, out]).toMatchObject([[target], { mimeType, content: { size: JPEG.length } }])
    expect(out).toHaveProperty(...((isVoice ? ['isVoice', true] : ['kind', 'media']) as [string, unknown]))
  })

  test('a recording made on a phone is sent as a voice note by default', async () => {
    answer = file({ type: 'audio/ogg', body: sampleOf('audio').bytes })
    await b.send(image(audio), engine)
    expect([asked, b.engine.asked[0]?.out]).toMatchObject([[], { mimeType: 'audio/ogg', isVoice: true }])
  })

  test('a file that Meta accepts is sent unchanged, whatever type its server names', async () => {
    answer = photo
    await b.send(image(), engine)
    expect([asked, b.engine.asked[0]?.out]).toMatchObject([[], { mimeType: 'image/jpeg' }])
  })

  test.each([
    ['a zip', document, file({ type: 'application/zip' }), /is application\/zip.*Use TXT, PDF, DOC/],
    ['a spreadsheet in CSV', document, file({ type: 'text/csv' }), /is text\/csv/],
    [
      'a film of an iPhone',
      { media_type: 'video' as const },
      file({ type: 'video/quicktime' }),
      /Use MP4 or 3GP\. Nothing/,
    ],
    ['a picture nobody can read', {}, file({ type: 'image/heic' }), /cannot be converted to a JPEG/],
  ])('%s is refused with an explanation', async (_, more, found, words) => {
    answer = found
    expect(await refusal(b.send(image(more), engine))).toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(words),
      detail: { reason: 'file_unusable' },
    })
    expect([stored(), leftovers(), b.engine.asked]).toEqual([[], [], []])
  })
})

test.each([
  ['application/octet-stream', `attachment; filename*=UTF-8''Pre%C3%A7os.pdf`, 'Preços.pdf', 'application/pdf'],
  ['application/octet-stream', 'attachment; filename="../../etc/pass\u202ewd.docx"', 'passwd.docx', DOCX],
  ['text/plain', '', 'image.png', 'image/png'],
])('a document of type %s with %j is named %s', async (type, disposition, filename, mimeType) => {
  answer = async () => ({
    ...{ kind: 'response', status: 200, body: Buffer.from('bytes'), truncated: false, remoteIp: null },
    headers: { 'content-type': type, 'content-disposition': Buffer.from(disposition).toString('latin1') },
  })
  await b.send(image({ media_type: 'document' }))
  expect(b.engine.asked[0]?.out).toMatchObject({ filename, mimeType })
})
