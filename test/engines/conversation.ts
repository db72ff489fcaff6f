import { expect } from 'vitest'
import { sampleOf } from '../../main/engines/sandbox/index.ts'
import { caught, catchEverything, everyPage } from '../support/sandbox.ts'
import { until, type Api } from '../support/service-process.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'

/** Somebody an instance speaks with, on whatever network it is. */
export interface Person {
  readonly number: string
  /** What arrived on their phone, oldest first. */
  received(): Promise<readonly Arrived[]>
  /** @returns the network's id of what was said. */
  say(text: string, more?: { quoted?: string; media?: 'image' }): Promise<string>
  edit(id: string, text: string): Promise<void>
  remove(id: string): Promise<void>
  /** @param emoji '' takes it back. */
  react(id: string, emoji: string): Promise<void>
  go(online: boolean): Promise<void>
}

interface Arrived {
  readonly id: string
  readonly type: string
  readonly text: string | null
  /** The network's id of the message it answers. */
  readonly quoted: string | null
}

/** A connected instance, and the network behind it. One for each engine and network there is. */
export interface Line {
  readonly name: string
  readonly engine: 'smv2' | 'official'
  readonly api: Api
  readonly instanceId: string
  person(number: string): Person
  /** Somebody who keeps their number to themselves. */
  readonly hidden: Pick<Person, 'say' | 'received'>
  /** Ends the service without a warning and starts it again on the same home. @returns the new door. */
  restart(): Promise<Api>
  /** Numbers that misbehave by their last four digits do so here. */
  readonly hasMagicNumbers: boolean
  /** The bytes of a file that somebody sent, by `media.id` of the event; absent where an engine has no way to ask. */
  readonly file?: (mediaId: string) => Promise<Buffer>
}

interface Event {
  readonly type: string
  readonly instance: { readonly id: string }
  readonly data: Readonly<Record<string, any>>
}

const number = (ending: string) => `1202555${ending}`
export const SEND_TIMEOUT_MS = 1_500

/**
 * What two people would say to each other, and everything a caller of the API may rely on meanwhile. The same for
 * every engine on every network: whoever joins makes a `Line` and runs it.
 */
export async function converse(line: Line): Promise<void> {
  let { api } = line
  const base = `/v1/instances/${line.instanceId}`
  const catcher = `talk-${line.instanceId}`
  await catchEverything(api, catcher)

  const events = async (): Promise<Event[]> => {
    const found = await everyPage<Event>(api, '/v1/events')
    return found
      .toReversed()
      .filter(({ instance, type }) => instance.id === line.instanceId && type.startsWith('message.'))
  }
  const about = async (id: string) =>
    (await events()).filter(({ data }) => data['message_id'] === id).map(({ type }) => type)
  const send = (body: object, key?: string) =>
    api('POST', `${base}/messages`, body, key === undefined ? {} : { 'idempotency-key': key })
  const record = async (id: string) => (await api('GET', `${base}/messages/${id}`)).body
  const reached = (id: string, status: string) =>
    until(`${line.name}: ${status}`, async () => ((await record(id)).status === status ? record(id) : undefined))
  /** Has had the status, and may be further by now. */
  const passed = (id: string, wanted: string) =>
    until(`${line.name}: ${wanted}`, async () =>
      (await record(id)).history.some(({ status }: { status: string }) => status === wanted),
    )
  const connectedAgain = () =>
    until(`${line.name}: connected again`, async () => (await api('GET', `${base}/connection`)).body.connected)
  const heard = (what: string, is: (event: Event) => boolean) =>
    until(`${line.name}: ${what}`, async () => (await events()).find(is))

  await sendsAndIsRead()
  await isRepeatedSafely()
  await sendsFiles()
  await hears()
  await answersWhoHides()
  await waitsForPhones()
  if (line.hasMagicNumbers) await fails()
  await outlivesAKill()
  await toldTheWebhook()

  async function sendsAndIsRead() {
    const ana = line.person(number('0101'))
    const text = 'Olá, Ana! Your order 1042 is ready 🌱\nSee you.'
    const sent = await send({ to: ana.number, text })
    expect([sent.status, sent.body]).toEqual([
      201,
      { engine: line.engine, sent: true, message_id: expect.stringMatching(/^msg_/) },
    ])
    const id = sent.body.message_id
    const read = await reached(id, 'read')
    expect(read.history.map(({ status }: { status: string }) => status)).toEqual([
      'queued',
      'sent',
      'delivered',
      'read',
    ])
    const [arrived] = (await ana.received()).slice(-1)
    expect(arrived).toMatchObject({ type: 'text', text, id: read.engine_message_id })
    expect(await about(id)).toEqual(['message.sent', 'message.delivered', 'message.read'])
  }

  async function isRepeatedSafely() {
    const ben = line.person(number('0102'))
    const body = { to: ben.number, text: 'Once' }
    const answers = await Promise.all([send(body, 'once'), send(body, 'once'), send(body, 'once')])
    const [first] = answers.filter(({ status }) => status === 201)
    await reached(first?.body.message_id, 'read')
    const again = await send(body, 'once')
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first?.body, 'true'])
    expect((await ben.received()).filter(({ text }) => text === 'Once')).toHaveLength(1)
    expect((await send({ ...body, text: 'Other' }, 'once')).body.error.code).toBe('idempotency_conflict')
  }

  async function sendsFiles() {
    const ana = line.person(number('0101'))
    const picture = {
      to: ana.number,
      media_url: 'https://media.sandbox/image.png',
      media_type: 'image',
      caption: 'Our shop',
    }
    const sent = await send(picture)
    expect([sent.status, sent.body.sent]).toEqual([201, true])
    await reached(sent.body.message_id, 'read')
    expect((await ana.received()).at(-1)).toMatchObject({ type: 'image' })
  }

  async function hears() {
    const ana = line.person(number('0101'))
    const hello = await ana.say('Is it open today?')
    const first = await heard(
      'a message',
      ({ type, data }) => type === 'message.received' && data['text'] === 'Is it open today?',
    )
    expect(first.data).toMatchObject({
      chat: ana.number,
      from: ana.number,
      from_me: false,
      is_group: false,
      type: 'text',
      media: null,
    })
    const id = first.data['message_id'] as string

    await ana.say('I mean the garden', { quoted: hello })
    const answer = await heard('an answer', ({ data }) => data['text'] === 'I mean the garden')
    expect(answer.data['quoted_message_id']).toBe(id)

    const ours = await answerTo(ana.number, id, hello)
    await reached(ours, 'read')
    expect((await ana.received()).at(-1)).toMatchObject({ type: 'text', text: 'Every day', quoted: hello })
    expect(await about(ours)).toEqual(['message.sent', 'message.delivered', 'message.read'])

    await ana.edit(hello, 'Is it open tomorrow?')
    await heard(
      'an edit',
      ({ type, data }) =>
        type === 'message.edited' && data['message_id'] === id && data['text'] === 'Is it open tomorrow?',
    )
    await ana.react(hello, '👍')
    await heard(
      'a reaction',
      ({ type, data }) => type === 'message.reaction' && data['message_id'] === id && data['emoji'] === '👍',
    )
    await ana.react(hello, '')
    await heard('a reaction taken back', ({ type, data }) => type === 'message.reaction' && data['emoji'] === '')
    await ana.remove(hello)
    await heard('a deletion', ({ type, data }) => type === 'message.deleted' && data['message_id'] === id)
    expect(await about(id)).toEqual([
      'message.received',
      'message.edited',
      'message.reaction',
      'message.reaction',
      'message.deleted',
    ])

    await ana.say('', { media: 'image' })
    const picture = await heard(
      'a picture',
      ({ type, data }) => type === 'message.received' && data['type'] === 'image',
    )
    expect(picture.data['media']).toMatchObject({ mime_type: 'image/png', size: expect.any(Number) })
    expect(picture.data['media'].size).toBeGreaterThan(0)
    const bytes = await line.file?.(picture.data['media'].id)
    if (bytes) expect(bytes.length).toBe(picture.data['media'].size)
  }

  /** In the words that its engine has for it. @returns our id of the answer. */
  async function answerTo(to: string, id: string, networkId: string): Promise<string> {
    const raw = { type: 'text', text: { body: 'Every day' }, context: { message_id: networkId } }
    const sent =
      line.engine === 'smv2'
        ? await api('POST', `${base}/engine/smv2/send/text`, { to, text: 'Every day', quoted_message_id: id })
        : await send({ to, cloud_api: raw })
    expect([sent.status, sent.body.sent]).toEqual([201, true])
    return sent.body.message_id as string
  }

  async function answersWhoHides() {
    await line.hidden.say('Who am I?')
    const { data } = await heard('somebody who hides their number', ({ data }) => data['text'] === 'Who am I?')
    expect(data['from']).not.toMatch(/^1202555/)
    expect(data).toMatchObject({ chat: data['from'], from_lid: data['from'] })
    const sent = await send({ to: data['from'], text: 'A friend' })
    expect([sent.status, sent.body.sent]).toEqual([201, true])
    await reached(sent.body.message_id, 'read')
    expect((await record(sent.body.message_id)).to).toBe(data['from'])
    expect((await line.hidden.received()).map(({ text }) => text)).toEqual(['A friend'])
  }

  async function waitsForPhones() {
    const carl = line.person(number('0103'))
    await carl.go(false)
    const ids: string[] = []
    for (const text of ['One', 'Two', 'Three']) ids.push((await send({ to: carl.number, text })).body.message_id)
    for (const id of ids) await reached(id, 'sent')
    expect(await carl.received()).toEqual([])
    await carl.go(true)
    for (const id of ids) await reached(id, 'read')
    expect((await carl.received()).map(({ text }) => text)).toEqual(['One', 'Two', 'Three'])
  }

  async function fails() {
    const unknown = await send({ to: number('0404'), text: 'x' })
    expect([unknown.status, unknown.body.sent]).toEqual([201, false])
    expect((await record(unknown.body.message_id)).error.code).toBe(
      line.engine === 'smv2' ? 'not_on_whatsapp' : 'undeliverable',
    )
    const late = await send({ to: number('0410'), text: 'x' })
    const lost = await reached(late.body.message_id, 'failed')
    expect(lost.history.map(({ status }: { status: string }) => status)).toEqual(['queued', 'sent', 'failed'])
    expect((await send({ to: number('0502'), text: 'x' })).body.error).toMatchObject({
      code: 'upstream_unavailable',
      retryable: true,
    })
    // Where nothing can leave the link may be what broke; it comes back by itself.
    await connectedAgain()
    const silent = await send({ to: number('0504'), text: 'x' }, 'silent')
    expect([silent.status, silent.body.error.code]).toEqual([504, 'upstream_timeout'])
    const found = (await api('GET', `${base}/messages?idempotency_key=silent`)).body
    expect(found.status).toBe('queued')
    await passed(found.message_id, 'delivered')
    const replayed = await send({ to: number('0504'), text: 'x' }, 'silent')
    expect([replayed.status, replayed.body.message_id]).toEqual([201, found.message_id])
    expect(await line.person(number('0504')).received()).toHaveLength(1)
  }

  async function outlivesAKill() {
    const dora = line.person(number('0105'))
    await dora.go(false)
    const before = (await send({ to: dora.number, text: 'Before the kill' })).body.message_id
    await reached(before, 'sent')
    api = await line.restart()
    await connectedAgain()
    const after = line.person(number('0105'))
    await after.go(true)
    await reached(before, 'read')
    const next = (await send({ to: dora.number, text: 'After the kill' })).body.message_id
    await reached(next, 'read')
    await after.say('Still there?')
    await heard('a message after the kill', ({ data }) => data['text'] === 'Still there?')
    expect((await after.received()).map(({ text }) => text)).toEqual(['Before the kill', 'After the kill'])
  }

  /** Every event once, signed; none lost and none told before what it follows from. */
  async function toldTheWebhook() {
    const all = (await events()).map(
      ({ type, data }) => `${type} ${String(data['message_id'])} ${String(data['sequence'])}`,
    )
    expect(new Set(all).size).toBe(all.length)
    const delivered = await until(`${line.name}: every delivery`, async () => {
      const found = await caught(api, catcher)
      const mine = found
        .map(({ body }) => JSON.parse(body) as Event)
        .filter(({ instance, type }) => instance.id === line.instanceId && type.startsWith('message.'))
      return new Set(mine.map(({ data }) => data['sequence'])).size >= all.length ? { found, mine } : undefined
    })
    expect(delivered.found.every(({ signature }) => signature === 'valid')).toBe(true)
    expect(new Set(delivered.mine.map(({ data }) => data['sequence'])).size).toBe(all.length)
    for (const [id, statuses] of Map.groupBy(await events(), ({ data }) => data['message_id'] as string)) {
      const order = statuses.flatMap(({ type }) => (RANK[type] === undefined ? [] : [RANK[type]]))
      expect(order, id).toEqual(order.toSorted((a, b) => a - b))
      expect(new Set(order).size, id).toBe(order.length)
    }
  }
}

const RANK: Readonly<Record<string, number>> = {
  'message.sent': 1,
  'message.delivered': 2,
  'message.read': 3,
  'message.failed': 4,
}

/** A person of the sandbox network, through its API. @param api the door as it is now. */
export function sandboxPerson(api: () => Api, lineNumber: string, number: string): Person {
  const phone = `/v1/sandbox/phones/${number}`
  const must = async (method: string, path: string, body?: object) => {
    const answer = await api()(method, path, body)
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }
  return {
    number,
    received: async () =>
      (await everyPage<Arrived & { from: string; quoted_message_id: string | null }>(api(), `${phone}/messages`))
        .filter(({ from }) => from === lineNumber)
        .map(({ id, type, text, quoted_message_id: quoted }) => ({ id, type, text, quoted }))
        .toReversed(),
    async say(text, { quoted, media } = {}) {
      const content = media === undefined ? { text } : { media_type: media }
      const said = await must('POST', `${phone}/messages`, {
        to: lineNumber,
        ...content,
        ...(quoted && { quoted_message_id: quoted }),
      })
      return said.id as string
    },
    async edit(id, text) {
      await must('POST', `${phone}/messages/${id}/edit`, { text })
    },
    async remove(id) {
      await must('POST', `${phone}/messages/${id}/delete`)
    },
    async react(id, emoji) {
      await must('POST', `${phone}/messages/${id}/react`, { emoji })
    },
    async go(online) {
      await must('POST', '/v1/sandbox/phones', { number, online })
    },
  }
}

/** A person of the stand-in for WhatsApp, with a phone of their own. */
export function livePerson(whatsapp: WhatsApp, lineNumber: string, number: string): Person {
  const phone = whatsapp.phone(number)
  return {
    number,
    received: async () =>
      phone.received(lineNumber).map(({ id, type, text, about }) => ({ id, type, text, quoted: about })),
    async say(text, { quoted, media } = {}) {
      const answering = quoted === undefined ? {} : { quoted }
      if (media === undefined) return phone.say(lineNumber, text, answering)
      const { bytes, mimeType } = sampleOf(media)
      return phone.sendFile(lineNumber, { kind: media, bytes, mimeType }, answering)
    },
    edit: async (id, text) => {
      await phone.edit(id, text)
    },
    remove: async (id) => {
      await phone.remove(id)
    },
    react: async (id, emoji) => {
      await phone.react(id, emoji)
    },
    go: async (isOnline) => phone.go(isOnline),
  }
}
