import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleOf } from '../../main/engines/sandbox/index.ts'
import { browserOf, builtConsole, signedIn } from '../support/panel.ts'
import { world, type Reply, type World } from '../support/world.ts'

type Ask = (method: string, path: string, headers?: Readonly<Record<string, string>>) => Promise<Reply>

const { bytes } = sampleOf('image')
const size = bytes.length
const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`

let w: World
/** Of a message that the instance received, below `/v1`. */
let path: string
let askers: Readonly<Record<'an API key' | 'the console' | 'the desktop window', Ask>>
beforeAll(async () => {
  w = await world({ consoleFolder: builtConsole() })
  const browser = await signedIn(w)
  askers = {
    'an API key': (method, at, headers = {}) => w.api(method, `/v1${at}`, undefined, { headers }),
    'the console': (method, at, headers = {}) => browser.ask(method, `/panel/v1${at}`, undefined, headers),
    async 'the desktop window'(method, at, headers = {}) {
      const answer = await w.service.askAsConsole({ method, path: `/panel/v1${at}`, headers })
      const text = answer.body === null ? '' : await new Response(answer.body).text()
      return { status: answer.status, headers: answer.headers as Reply['headers'], text, body: undefined }
    },
  }
  const { id } = await w.official('12025550931')
  await w.api('POST', '/v1/sandbox/phones/12025550932/messages', {
    to: '12025550931',
    media_url: 'https://media.sandbox/image.png',
    media_type: 'image',
  })
  await w.quiet()
  const [message] = await w.rows<{ media: string }>(
    `SELECT media FROM messages WHERE direction = 'in' AND media IS NOT NULL`,
  )
  path = `/instances/${id}/media/${JSON.parse(message?.media ?? '{}').id}`
})
afterAll(() => w.close())

const textOf = (first: number, last: number) => bytes.subarray(first, last + 1).toString()

describe.each(['an API key', 'the console', 'the desktop window'] as const)('a file, requested by %s,', (asker) => {
  const ask: Ask = (...asked) => askers[asker](...asked)
  const ranged = async (range: string, more = {}) => {
    const { status, headers, text } = await ask('GET', path, { range, ...more })
    return [status, headers['content-range'], headers['content-length'], text]
  }

  test('is sent whole, and announces that ranges are supported', async () => {
    const { status, headers, text } = await ask('GET', path)
    expect([status, text]).toEqual([200, bytes.toString()])
    expect(headers).toMatchObject({
      ...{ 'accept-ranges': 'bytes', etag, 'content-length': String(size), 'content-type': 'image/png' },
      'content-disposition': expect.stringMatching(/^attachment; filename="image.png"/),
      'cache-control': 'private, max-age=3600',
    })
    expect(headers['content-range']).toBeUndefined()
  })

  test('is sent in the requested range', async () => {
    const part = (first: number, last: number) => [
      ...[206, `bytes ${first}-${last}/${size}`, String(last - first + 1), textOf(first, last)],
    ]
    expect(await ranged('bytes=0-9')).toEqual(part(0, 9))
    expect(await ranged('bytes=5-5')).toEqual(part(5, 5))
    expect(await ranged('bytes=10-')).toEqual(part(10, size - 1))
    expect(await ranged('bytes=-5')).toEqual(part(size - 5, size - 1))
    expect(await ranged(`bytes=-${size + 1}`)).toEqual(part(0, size - 1))
    expect(await ranged(`Bytes= 0-${size + 10}`)).toEqual(part(0, size - 1))
  })

  test('is refused with 416 if the range is outside', async () => {
    for (const range of [`bytes=${size}-`, 'bytes=-0', `bytes=${size}-${size + 4}`])
      expect((await ranged(range)).slice(0, 2)).toEqual([416, `bytes */${size}`])
    const { headers, text } = await ask('GET', path, { range: `bytes=${size}-` })
    expect(headers['content-type']).toContain('application/json')
    expect(JSON.parse(text).error).toMatchObject({ code: 'range_not_satisfiable', retryable: false })
  })

  test('is sent whole if the range is invalid, of another unit or multiple', async () => {
    for (const range of ['bytes=9-1', 'lines=1-2', 'bytes=-', 'bytes=0-1,4-5', 'bytes=a-b', 'bytes 0-1'])
      expect(await ranged(range)).toEqual([200, undefined, String(size), bytes.toString()])
  })

  test('is sent in ranges only while it is unchanged (If-Range)', async () => {
    expect((await ranged('bytes=0-9', { 'if-range': etag }))[0]).toBe(206)
    for (const other of ['"other"', `W/${etag}`, 'Mon, 02 Mar 2026 09:00:00 GMT'])
      expect(await ranged('bytes=0-9', { 'if-range': other })).toEqual([200, undefined, String(size), bytes.toString()])
  })

  test('is not sent again to a client that has it (If-None-Match)', async () => {
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, text } = await ask('GET', path, { 'if-none-match': known, range: 'bytes=0-9' })
      expect([status, headers['etag'], text, headers['content-length']]).toEqual([304, etag, '', undefined])
    }
    expect((await ask('GET', path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('has its metadata returned by HEAD, which ignores ranges', async () => {
    const { status, headers, text } = await ask('HEAD', path, { range: 'bytes=0-9' })
    expect([status, text]).toEqual([200, ''])
    expect(headers).toMatchObject({ 'content-length': String(size), etag, 'accept-ranges': 'bytes' })
    expect((await ask('HEAD', path, { 'if-none-match': etag })).status).toBe(304)
    expect((await ask('HEAD', `${path}x`)).status).toBe(404)
  })
})

describe('a file of an instance', () => {
  test('is 404 for another account and for a key restricted to another instance', async () => {
    const { key: stranger } = await w.stranger()
    const other = await w.official('12025550933')
    const { key: restricted } = await w.key({ scopes: ['messages:read'], instances: [other.id] })
    for (const key of [stranger, restricted]) {
      for (const headers of [{}, { range: 'bytes=0-9' }, { 'if-none-match': etag }]) {
        const answer = await w.api('GET', `/v1${path}`, undefined, { key, headers })
        expect([answer.status, answer.body.error.code, answer.headers['etag']]).toEqual([404, 'not_found', undefined])
      }
    }
  })

  test('is not served to a console that is not signed in', async () => {
    expect((await browserOf(w).ask('GET', `/panel/v1${path}`)).status).toBe(401)
  })
})
