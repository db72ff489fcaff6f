import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleOf } from '../../main/engines/sandbox/index.ts'
import { factsOf } from '../../main/engines/smv2/media-facts.ts'
import { sampleFile, turnedPhoto, wave } from '../support/samples.ts'
import { testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { startWhatsApp, type WhatsApp } from '../support/whatsapp/index.ts'
import { pairedLive } from '../support/whatsapp/paired.ts'

const OURS = '12025550200'
const ANA = '12025550101'

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let instance: string
let host: Server
let web: string

const PAGE = '<title>Cake</title><meta property="og:image" content="/photo.jpg">'
const FILES: Readonly<Record<string, readonly [type: string, body: Buffer]>> = {
  '/photo.jpg': ['image/jpeg', sampleFile('photo.jpg')],
  '/turned.jpg': ['image/jpeg', turnedPhoto()],
  '/clip.mp4': ['video/mp4', sampleFile('clip.mp4')],
  '/moving.gif': ['image/gif', sampleFile('moving.gif')],
  '/tone.mp3': ['audio/mpeg', sampleFile('tone.mp3')],
  '/tone.m4a': ['audio/mp4', sampleFile('tone.m4a')],
  '/tone.wav': ['audio/wav', wave(2)],
  '/broken.mp3': ['audio/mpeg', Buffer.from('This is no sound. '.repeat(100))],
  '/order.pdf': ['application/pdf', sampleOf('document').bytes],
  '/page': ['text/html', Buffer.from(PAGE)],
}

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  host = createServer(({ url = '' }, response) => {
    const [type, body] = FILES[url] ?? ['text/plain', Buffer.alloc(0)]
    response.writeHead(200, { 'content-type': type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  web = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('Media')).key
  home.write({ 'egress.trusted_ranges': ['127.0.0.1/32'] })
  service = await home.start(whatsapp.environment)
  instance = await pairedLive(api, whatsapp, OURS)
  // A thumbnail that takes too long is left out, and on a busy machine the first one would be.
  await action('sticker', { media_url: `${web}/photo.jpg` })
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
  host.close()
})

const received = () => whatsapp.phone(ANA).received(OURS)

/** What the phone decrypted of it. */
async function sent(path: string, body: object) {
  const before = received().length
  const answer = await api('POST', path, { to: ANA, ...body })
  expect([answer.status, answer.body]).toMatchObject([201, { sent: true }])
  return until('it arrives', () => received().at(before))
}
const message = (name: string, media_type: string, more: object = {}) =>
  sent(`/v1/instances/${instance}/messages`, { media_url: `${web}/${name}`, media_type, ...more })
const action = (name: string, body: object) => sent(`/v1/instances/${instance}/engine/smv2/send/${name}`, body)

const thumbnailSize = ({ jpegThumbnail }: { jpegThumbnail?: Uint8Array | null | undefined } = {}) =>
  factsOf('image', Buffer.from(jpegThumbnail ?? []))

describe('media that a phone receives', () => {
  test('images, videos and documents', async () => {
    const photo = (await message('photo.jpg', 'image')).content.imageMessage
    expect(photo).toMatchObject({ width: 400, height: 300, mimetype: 'image/jpeg' })
    expect(thumbnailSize(photo ?? {})).toEqual({ width: 128, height: 96 })
    const turned = (await message('turned.jpg', 'image')).content.imageMessage
    expect(turned).toMatchObject({ width: 300, height: 400 })
    expect(thumbnailSize(turned ?? {})).toEqual({ width: 96, height: 128 })
    const clip = (await message('clip.mp4', 'video')).content.videoMessage
    expect(clip).toMatchObject({ width: 320, height: 180, seconds: 2, mimetype: 'video/mp4' })
    expect(clip?.gifPlayback).toBeFalsy()
    expect(thumbnailSize(clip ?? {})).toEqual({ width: 128, height: 72 })
    expect((await message('order.pdf', 'document')).content.documentMessage).toMatchObject({ pageCount: 1 })
  })

  test.each(['tone.mp3', 'tone.m4a', 'tone.wav'])('%s as a voice note', async (name) => {
    const { content, file } = await message(name, 'audio', { voice: true })
    expect(content.audioMessage).toMatchObject({ ptt: true, seconds: 2, mimetype: 'audio/ogg; codecs=opus' })
    const bars = [...(content.audioMessage?.waveform ?? [])]
    expect(bars).toHaveLength(64)
    expect(Math.min(...bars.slice(2, 28))).toBeGreaterThan(Math.max(...bars.slice(36)) + 40)
    expect(factsOf('audio', file ?? Buffer.alloc(0))).toMatchObject({ isVoice: true, seconds: 2 })
  })

  test('an mp3 stays a file unless a voice note was requested', async () => {
    const { content, file } = await message('tone.mp3', 'audio')
    expect(content.audioMessage).toMatchObject({ ptt: false, mimetype: 'audio/mpeg' })
    expect(file).toEqual(sampleFile('tone.mp3'))
  })

  test('GIFs and stickers', async () => {
    const { content, file } = await message('moving.gif', 'video', { gif: true })
    expect(content.videoMessage).toMatchObject({ gifPlayback: true, mimetype: 'video/mp4', width: 64, height: 48 })
    expect(factsOf('video', file ?? Buffer.alloc(0))).toMatchObject({ width: 64, height: 48, seconds: 1 })
    for (const [name, isAnimated] of [
      ['photo.jpg', false],
      ['moving.gif', true],
    ] as const) {
      const sticker = (await action('sticker', { media_url: `${web}/${name}` })).content.stickerMessage
      expect(sticker).toMatchObject({ mimetype: 'image/webp', width: 512, height: 512 })
      expect(sticker?.isAnimated ?? false).toBe(isAnimated)
    }
  })

  test('a link with the title and the image of its page', async () => {
    const { extendedTextMessage: text } = (await action('link', { url: `${web}/page` })).content
    expect(text).toMatchObject({ matchedText: `${web}/page`, title: 'Cake' })
    expect(thumbnailSize(text ?? {})).toEqual({ width: 240, height: 180 })
  })

  test('a file that cannot become a voice note is refused, and nothing is stored or sent', async () => {
    const before = received().length
    const body = { to: ANA, media_url: `${web}/broken.mp3`, media_type: 'audio', voice: true }
    const answer = await api('POST', `/v1/instances/${instance}/messages`, body, { 'idempotency-key': 'broken' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({
      code: 'validation_error',
      message:
        'The file at media_url cannot be converted to a voice note. Use an mp3, m4a, aac, wav or Ogg/Opus file, or remove voice to send it as an audio file. Nothing was sent.',
    })
    const found = await api('GET', `/v1/instances/${instance}/messages?idempotency_key=broken`)
    expect([found.status, received().length]).toEqual([404, before])
  })
})
