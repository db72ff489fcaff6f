import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createUploads } from '../../../main/capabilities/messages/uploads.ts'
import { createFiles } from '../../../main/kernel/files.ts'
import { createIds, type AccountId } from '../../../main/kernel/ids.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PICTURE = Buffer.from('the bytes of a picture')
const TO = '12025550177'
const DAYS = 86_400_000

let w: World
let line: { id: string }
beforeEach(async () => {
  w = await worldOfTest()
  line = await w.pair()
})

const upload = (content: Buffer | string, type = 'image/png', query = '', key?: string) =>
  w.api('POST', `/v1/media${query}`, content, { headers: { 'content-type': type }, ...(key && { key }) })
const send = (body: object, key?: string) =>
  w.api('POST', `/v1/instances/${line.id}/messages`, { to: TO, ...body }, { ...(key && { key }) })
const received = async () => (await w.api('GET', `/v1/sandbox/phones/${TO}/messages`)).body.data
const filesOnDisk = () =>
  readdirSync(join(w.home, 'files'), { recursive: true }).filter((name) => /fil_/.test(String(name)))

describe('an uploaded file', () => {
  test('can be sent by its media_id any number of times', async () => {
    const { status, body } = await upload(PICTURE)
    expect(status).toBe(201)
    expect(body).toMatchObject({ mime_type: 'image/png', size: PICTURE.length })
    expect(Date.parse(body.expires_at) - w.clock.now()).toBe(7 * DAYS)
    for (let i = 0; i < 2; i++)
      expect((await send({ media_id: body.media_id, media_type: 'image', caption: 'Look' })).status).toBe(201)
    expect(await received()).toMatchObject([{ type: 'image' }, { type: 'image' }])
  })

  test('sent as a document has the name of the upload, unless the message has one', async () => {
    const { media_id } = (await upload('a,b', 'text/csv', '?filename=List%20of%20July.csv')).body
    await send({ media_id, media_type: 'document' })
    await send({ media_id, media_type: 'document', filename: 'other.csv' })
    const names = (await received()).map(({ media }: { media: { filename: string } }) => media.filename)
    expect(names.toSorted()).toEqual(['List of July.csv', 'other.csv'])
  })

  test('is not looked up for a replay with the same key', async () => {
    const { media_id } = (await upload(PICTURE)).body
    const headers = { 'idempotency-key': 'once' }
    const path = `/v1/instances/${line.id}/messages`
    const body = { to: TO, media_id, media_type: 'image' }
    const first = await w.api('POST', path, body, { headers })
    await w.pass(1_000)
    const again = await w.api('POST', path, body, { headers })
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
    expect(await received()).toHaveLength(1)
  })

  test('belongs to its account and can be used with every key of it', async () => {
    const restricted = (await w.key({ instances: [line.id] })).key
    const { media_id } = (await upload(PICTURE, 'image/png', '', restricted)).body
    expect((await send({ media_id, media_type: 'image' })).status).toBe(201)
    const stranger = await w.stranger()
    const theirs = (await upload(PICTURE, 'image/png', '', stranger.key)).body.media_id
    const answer = await send({ media_id: theirs, media_type: 'image' })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    expect(answer.body.error.message).toContain('media_id')
  })

  test.each([
    [
      'with media_url too',
      { media_type: 'image', media_url: 'https://media.sandbox/image.png' },
      'media_url and media_id',
    ],
    ['without media_type', {}, 'media_type is missing'],
    ['of another type than media_type', { media_type: 'video' }, 'is image/png'],
    ['with text', { media_type: 'image', text: 'Hi' }, 'text and media_id'],
  ])('is not sent %s', async (_what, body, said) => {
    const { media_id } = (await upload(PICTURE)).body
    const answer = await send({ media_id, ...body })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(said)
    expect(await received()).toEqual([])
  })

  test('that is too large for its media_type is not sent', async () => {
    const { media_id } = (await upload(Buffer.alloc(5 * 1024 * 1024 + 1))).body
    expect((await send({ media_id, media_type: 'image' })).body.error.message).toContain('larger than 5 MB')
    expect((await send({ media_id, media_type: 'document' })).status).toBe(201)
  })
})

describe('an upload', () => {
  test('needs messages:send', async () => {
    const reader = (await w.key({ scopes: ['messages:read'] })).key
    expect((await upload(PICTURE, 'image/png', '', reader)).body.error.code).toBe('insufficient_scope')
  })

  test('that is empty or of another type is refused and not kept', async () => {
    expect((await upload('')).status).toBe(400)
    expect((await upload(PICTURE, 'text/html')).status).toBe(415)
    expect((await upload(PICTURE, 'application/json')).status).toBe(415)
    expect(filesOnDisk()).toEqual([])
  })

  /** Sends chunks until the service answers. */
  const stream = (headers: string, chunk: Buffer, most: number): Promise<{ said: string; sent: number }> =>
    new Promise((resolve) => {
      const [hostname = '', port] = w.host.split(':')
      const socket = connect(Number(port), hostname)
      let said = ''
      let sent = 0
      const more = () => {
        while (said === '' && sent < most) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once('drain', more)
        }
      }
      socket.on('data', (text) => (said += text.toString())).on('error', () => {})
      socket.once('close', () => resolve({ said, sent }))
      socket.on('data', () => socket.end())
      const head = `POST /v1/media HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: video/mp4\r\n`
      socket.write(`${head}${headers}\r\n\r\n`, more)
    })

  test('that is larger than 100 MB is refused while it arrives', async () => {
    const megabyte = 1024 * 1024
    const body = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(megabyte), Buffer.from('\r\n')])
    const { said, sent } = await stream('Transfer-Encoding: chunked', body, 200 * megabyte)
    expect(said).toMatch(/^HTTP\/1\.1 413 /)
    expect(said).toContain('payload_too_large')
    expect(sent).toBeLessThan(150 * megabyte)
    expect(filesOnDisk()).toEqual([])
    const declared = await stream(`Content-Length: ${101 * megabyte}`, Buffer.alloc(1), 1)
    expect(declared.said).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('uploads', () => {
  const accountId = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId

  async function opened(freeBytes: () => number) {
    const clock = fakeClock()
    const data = await testDatabase(undefined, { clock })
    onTestFinished(() => data.close())
    const { db } = data
    const files = createFiles({ db, clock, ids: createIds(clock, seededRandom(1)), folder: join(data.dir, 'files') })
    const uploads = createUploads({ files, clock, freeBytes })
    const add = async () => {
      const stream = (async function* () {
        yield PICTURE
      })()
      return (await uploads.add(accountId, { mimeType: 'image/png', stream }, null)).media_id
    }
    const tidy = async () => {
      for (const chore of files.chores) {
        const turn = chore.begin()
        while (await turn());
      }
    }
    return { clock, db, data, uploads, add, tidy }
  }

  test('that were refused for lack of space are accepted once older ones have expired', async () => {
    const { clock, add, tidy } = await opened(() => 20_000)
    await add()
    await expect(add()).rejects.toMatchObject({ code: 'invalid_state', detail: { reason: 'uploads_full' } })
    await clock.advance(7 * DAYS)
    await tidy()
    await add()
  })

  test('are deleted after seven days, unless they are kept', async () => {
    const { clock, db, data, uploads, add, tidy } = await opened(() => Infinity)
    const [one, other] = [await add(), await add()]
    const keep = (id: string, days: number) =>
      db.commit((tx) => uploads.keepUntil(tx, accountId, id, clock.now() + days * DAYS))
    expect(await keep(other, 20)).toBe(true)
    expect(await keep(other, 1)).toBe(true)
    await clock.advance(7 * DAYS)
    await expect(uploads.get(accountId, one)).rejects.toMatchObject({ code: 'not_found' })
    expect(await keep(one, 1)).toBe(false)
    await tidy()
    await uploads.get(accountId, other)
    const left = readdirSync(join(data.dir, 'files'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([other])
  })
})

describe('the uploads of an account', () => {
  const MB = 1_000_000
  const RESERVED = 200 * MB
  const FIVE_MB = Buffer.alloc(5 * MB)
  let free: number

  beforeEach(async () => {
    free = 1e12
    w = await worldOfTest({ freeBytes: () => free, settings: { refuseBelowMb: 200, warnBelowMb: 200, reserveMb: 0 } })
  })
  const spaceIs = async (bytes: number) => {
    free = bytes
    await w.pass(10_000)
  }

  test('cannot use more space than the disk has left, and do not affect other accounts', async () => {
    await spaceIs(RESERVED + 12 * MB)
    expect((await upload(FIVE_MB)).status).toBe(201)
    expect((await upload(FIVE_MB)).status).toBe(201)
    const refused = await upload(FIVE_MB)
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'invalid_state', retryable: false }])
    expect(refused.body.error.message).toContain('removed 7 days after')
    expect(filesOnDisk()).toHaveLength(2)

    const stranger = await w.stranger()
    expect((await upload(FIVE_MB, 'image/png', '', stranger.key)).status).toBe(201)
    expect((await w.api('POST', '/v1/instances', {})).status).toBe(201)
  })

  test('that arrive at the same time are counted together', async () => {
    await spaceIs(RESERVED + 12 * MB)
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => upload(FIVE_MB)))
    expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(2)
    expect(filesOnDisk().length).toBeLessThanOrEqual(2)
    expect((await upload(PICTURE)).status).toBe(201)
  })

  test('of tiny files count with the disk space they use', async () => {
    await spaceIs(RESERVED + 40_000)
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await upload(PICTURE)).status)
    expect(statuses).toEqual([201, 201, 409])
  })
})
