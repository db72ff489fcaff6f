import { contentOf } from '../../../main/kernel/file-content.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { departing } from '../../support/engine.ts'
import type { EngineInstance, Outgoing } from '../../../main/engines/engine.ts'
import { ANA, BEN, ENGINES, networkWorld, OURS, SEND_TIMEOUT_MS, type NetworkWorld } from './network-world.ts'

let world: NetworkWorld
beforeEach(async () => {
  world = await networkWorld()
})
afterEach(() => world.close())

/** Nobody has heard from this person yet. */
const EVA = '12025550105'
const withSuffix = (digits: string) => `1202555${digits}`

describe.each(ENGINES)('%s on the sandbox network', (name) => {
  test('an instance that is not connected cannot send', async () => {
    const instance = world.instance(name)
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'not_ready' })
  })

  test('connecting reports the number and the name, once', async () => {
    const instance = world.instance(name)
    await world.network.changePhone(world.accountId, OURS, { name: 'Front desk' })
    await world.engine(name).start(instance)
    if (name === 'official') await world.network.onboard(instance, OURS)
    else await world.network.scan(world.accountId, OURS, { text: (await world.qr(instance)).text ?? '' })
    await settle()
    expect(world.of(instance, 'connected')).toEqual([{ kind: 'connected', number: OURS, name: 'Front desk' }])
    expect(await world.engine(name).resume(instance)).toBe('connected')
  })

  test('a message is accepted, sent, delivered and read at the documented times, and arrives on the phone', async () => {
    const instance = await world.connected(name)
    const startedMs = world.clock.now()
    const { messageId, ...outcome } = await world.send(instance, { to: ANA })
    expect(outcome).toMatchObject({ kind: 'accepted', status: 'queued' })
    expect(world.clock.now() - startedMs).toBe(50)
    await world.clock.advance(10_000)
    const receipts = world.of(instance, 'receipt')
    expect(receipts.map(({ status, atMs }) => [status, atMs - startedMs])).toEqual([
      ['sent', 150],
      ['delivered', 600],
      ['read', 2_000],
    ])
    expect(new Set(receipts.map((receipt) => receipt.messageId))).toEqual(new Set([messageId]))
    const [message] = await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)
    expect(message).toMatchObject({
      author: OURS,
      recipient: ANA,
      instanceId: instance.id,
      content: { type: 'text', text: 'Hello' },
    })
    expect(message?.receivedAtMs).toBe(startedMs + 600)
  })

  test('messages to numbers ending in 0404 and 0410 fail as documented', async () => {
    const instance = await world.connected(name)
    const unknown = await world.send(instance, { to: withSuffix('0404') })
    expect(unknown).toMatchObject({
      kind: 'refused',
      error: name === 'smv2' ? { code: 'not_on_whatsapp' } : { code: 'undeliverable', provider_code: 131026 },
    })
    const { messageId } = await world.send(instance, { to: withSuffix('0410') })
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'failed'])
    expect(world.of(instance, 'failed')[0]?.error).toMatchObject({
      code: 'engine_rejected',
      provider_code: name === 'smv2' ? 479 : 131000,
    })
    expect(await world.network.listMessages(world.accountId, withSuffix('0410'), Number.MAX_SAFE_INTEGER, 10)).toEqual(
      [],
    )
  })

  test('a message to a number ending in 0502 is never sent', async () => {
    const instance = await world.connected(name)
    const { messageId, kind } = await world.send(instance, { to: withSuffix('0502') })
    expect(kind).toBe('nothing_sent')
    expect(await world.engine(name).find(instance, messageId)).toBe('never_arrived')
  })

  test('a message to a number ending in 0504 has no answer until the deadline, and is then sent and delivered', async () => {
    const instance = await world.connected(name)
    const startedMs = world.clock.now()
    const { messageId, outcome } = world.sending(instance, withSuffix('0504'))
    await world.clock.advance(SEND_TIMEOUT_MS - 1)
    expect(world.told(instance)).toEqual([])
    await world.clock.advance(1)
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    expect(await world.engine(name).find(instance, messageId)).toBe('arrived')
    await world.clock.advance(60_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered'])
    const [sent] = world.of(instance, 'receipt')
    expect(sent).toMatchObject({ atMs: startedMs + SEND_TIMEOUT_MS + 5_000 })
    expect(sent?.engineMessageId).toBeTypeOf('string')
  })

  test('a message to a number ending in 0007 is sent and never delivered', async () => {
    const instance = await world.connected(name)
    const { messageId } = await world.send(instance, { to: withSuffix('0007') })
    await world.clock.advance(60_000)
    await world.network.changePhone(world.accountId, withSuffix('0007'), { online: false })
    await world.network.changePhone(world.accountId, withSuffix('0007'), { online: true })
    await world.clock.advance(60_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent'])
    expect(await world.network.listMessages(world.accountId, withSuffix('0007'), Number.MAX_SAFE_INTEGER, 10)).toEqual(
      [],
    )
  })

  test.each([
    ['none', ['sent']],
    ['delivered', ['sent', 'delivered']],
    ['read', ['sent', 'delivered', 'read']],
  ] as const)('a phone with receipts "%s" sends no further receipts', async (receipts, expected) => {
    const instance = await world.connected(name)
    await world.network.changePhone(world.accountId, ANA, { receipts })
    const { messageId } = await world.send(instance, { to: ANA })
    await world.clock.advance(60_000)
    expect(world.statuses(instance, messageId)).toEqual(expected)
  })

  test('a slow phone receives and reads later, and a phone drops or repeats receipts as configured', async () => {
    const instance = await world.connected(name)
    await world.network.changePhone(world.accountId, ANA, { delayMs: 5_000, duplicateReceipts: true })
    await world.network.changePhone(world.accountId, BEN, { dropReceipts: true })
    const slow = await world.send(instance, { to: ANA })
    const lossy = await world.send(instance, { to: BEN })
    await world.clock.advance(5_000)
    expect(world.statuses(instance, slow.messageId)).toEqual(['sent'])
    await world.clock.advance(60_000)
    expect(world.statuses(instance, slow.messageId)).toEqual(['sent', 'delivered', 'delivered', 'read', 'read'])
    expect(world.statuses(instance, lossy.messageId)).toEqual(['sent', 'read'])
  })

  test('a phone that is offline gets everything in order when it comes back, and reads afterwards', async () => {
    const instance = await world.connected(name)
    await world.network.changePhone(world.accountId, ANA, { online: false })
    const first = await world.send(instance, { to: ANA })
    const second = await world.send(instance, { to: ANA })
    await world.clock.advance(60_000)
    expect(world.statuses(instance, first.messageId)).toEqual(['sent'])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toEqual([])
    world.forget()
    await world.network.changePhone(world.accountId, ANA, { online: true })
    await world.clock.advance(60_000)
    expect(world.of(instance, 'receipt').map(({ messageId, status }) => [messageId, status])).toEqual([
      [first.messageId, 'delivered'],
      [second.messageId, 'delivered'],
      [first.messageId, 'read'],
      [second.messageId, 'read'],
    ])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(2)
  })

  test('a phone that goes offline meanwhile receives nothing until it is back', async () => {
    const instance = await world.connected(name)
    const { messageId } = await world.send(instance, { to: ANA })
    await world.network.changePhone(world.accountId, ANA, { online: false })
    await world.clock.advance(60_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent'])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toEqual([])
    await world.network.changePhone(world.accountId, ANA, { online: true })
    await world.clock.advance(60_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
  })

  test('pending receipts survive a restart of the service', async () => {
    const instance = await world.connected(name)
    const { messageId } = await world.send(instance, { to: ANA })
    await world.restart()
    expect(await world.engine(name).resume(instance)).toBe('connected')
    await world.clock.advance(60_000)
    expect(world.told(instance)).toEqual([])
    await world.engine(name).begin()
    await world.clock.advance(0)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
  })

  test('a signal that the sink rejects is reported again, in order', async () => {
    const instance = await world.connected(name)
    const { messageId } = await world.send(instance, { to: ANA })
    world.sink.accepts = false
    await world.clock.advance(30_000)
    world.sink.accepts = true
    await world.clock.advance(1_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
    expect(world.data.raw.prepare('SELECT count(*) AS n FROM sandbox_timeline').get()).toEqual({ n: 0 })
  })

  test('a send that is canceled before the network accepted it is nothing_sent', async () => {
    const instance = await world.connected(name)
    const controller = new AbortController()
    const outcome = world
      .engine(name)
      .send(instance, 'msg_X' as never, { kind: 'text', to: ANA, text: 'x' }, departing(controller.signal))
    await world.clock.advance(10)
    controller.abort()
    expect(await outcome).toMatchObject({ kind: 'nothing_sent' })
  })

  test('a result that is stored twice is reported once', async () => {
    const instance = await world.connected(name)
    const { messageId, outcome } = world.sending(instance, ANA)
    await world.clock.advance(50)
    const accepted = await outcome
    for (let i = 0; i < 2; i++) {
      await world.data.db.commit(async (tx) => ('journal' in accepted ? accepted.journal(tx) : undefined))
    }
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
  })

  test('a message whose transaction is rolled back never arrives', async () => {
    const instance = await world.connected(name)
    const { messageId, outcome } = world.sending(instance, ANA)
    await world.clock.advance(50)
    expect((await outcome).kind).toBe('accepted')
    await world.clock.advance(60_000)
    expect(await world.engine(name).find(instance, messageId)).toBe('never_arrived')
    expect(world.told(instance)).toEqual([])
  })

  test('stop keeps the session, a start resumes it', async () => {
    const instance = await world.connected(name)
    await world.engine(name).stop(instance)
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'not_ready' })
    expect(await world.engine(name).resume(instance)).toBe('no_session')
    await world.engine(name).start(instance)
    await settle()
    expect(world.of(instance, 'connected')).toHaveLength(1)
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'accepted' })
  })

  test('logout and wipe discard the session', async () => {
    const instance = await world.connected(name)
    await world.engine(name).logout(instance)
    expect(await world.engine(name).resume(instance)).toBe('no_session')
    const other = await world.connected(name)
    await world.network.failSends(other, 'unreachable', 3)
    await world.engine(name).wipe(other)
    expect(await world.engine(name).resume(other)).toBe('no_session')
    expect(world.told(instance)).toEqual([])
    for (const table of ['sandbox_faults', 'sandbox_timeline']) {
      expect(world.data.raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 })
    }
  })

  test('a file is received as a file', async () => {
    const instance = await world.connected(name)
    const file = {
      mediaType: 'image',
      mimeType: 'image/png',
      content: contentOf(Buffer.alloc(99)),
      caption: 'Look',
      filename: 'a.png',
    }
    await world.send(instance, { to: ANA, kind: 'media', ...file } as never)
    await world.clock.advance(1_000)
    const [message] = await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)
    expect(message?.content).toMatchObject({
      type: 'image',
      media: { mimeType: 'image/png', size: 99, filename: 'a.png', caption: 'Look' },
    })
  })

  test('no timer is left after close', async () => {
    await world.connected(name)
    await world.network.official.close()
    expect(world.clock.waiting()).toBe(0)
  })
})

test('a message to a number ending in 0463 is refused on smv2 and restricts the instance for a minute', async () => {
  const instance = await world.connected('smv2')
  const outcome = await world.send(instance, { to: withSuffix('0463') })
  expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'reachout_restricted', provider_code: 463 } })
  const { restriction } = world.network.smv2.evidence(instance)
  expect(restriction).toEqual({ kind: 'reachout', sinceMs: world.clock.now(), untilMs: world.clock.now() + 60_000 })
  expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'accepted' })
  await world.clock.advance(60_000)
  expect(world.network.smv2.evidence(instance).restriction).toBeNull()
})

describe('on the official engine', () => {
  test('a message to a number ending in 0463 is accepted and then fails without having been sent', async () => {
    const instance = await world.connected('official')
    const { messageId, kind } = await world.send(instance, { to: withSuffix('0463') })
    expect(kind).toBe('accepted')
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['failed'])
    expect(world.of(instance, 'failed')[0]?.error).toMatchObject({ code: 'engine_rejected', provider_code: 131048 })
  })

  test('a message to a number ending in 0026 is refused, and to 0047 is accepted and then fails unless it is a template', async () => {
    const instance = await world.connected('official')
    expect(await world.send(instance, { to: withSuffix('0026') })).toMatchObject({
      kind: 'refused',
      error: { code: 'undeliverable', provider_code: 131026 },
    })
    await expectOutsideWindow(instance, { to: withSuffix('0047') })
    const payload = { type: 'template', template: { name: 'hello_world' } }
    const { messageId } = await world.send(instance, { kind: 'cloud_api', to: withSuffix('0047'), payload })
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
  })

  test('free text is delivered only within 24 hours of the last message of that person to that number', async () => {
    const instance = await world.connected('official')
    const say = (to: string) =>
      world.network.speak(world.accountId, EVA, { to, group: null, content: { type: 'text', text: 'Hi' } })
    // They never wrote, or wrote to another number.
    await expectOutsideWindow(instance, { to: EVA })
    await say(BEN)
    await expectOutsideWindow(instance, { to: EVA })
    await say(OURS)
    await world.clock.advance(10_000)
    const { messageId } = await world.send(instance, { to: EVA })
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
    world.clock.suspend(25 * 60 * 60 * 1_000)
    await expectOutsideWindow(instance, { to: EVA })
    const payload = { type: 'text', text: { body: 'As the Cloud API writes it' } }
    await expectOutsideWindow(instance, { kind: 'cloud_api', to: EVA, payload })
    await say(OURS)
    const again = await world.send(instance, { to: EVA })
    await world.clock.advance(10_000)
    expect(world.statuses(instance, again.messageId)).toEqual(['sent', 'delivered', 'read'])
  })

  async function expectOutsideWindow(instance: EngineInstance, out: Partial<Outgoing> & { to: string }): Promise<void> {
    const sent = await world.send(instance, out)
    if (sent.kind !== 'accepted') throw new Error(`it was not accepted (${sent.kind})`)
    const { messageId, engineMessageId } = sent
    await world.clock.advance(10_000)
    expect(world.statuses(instance, messageId)).toEqual(['failed'])
    expect(world.of(instance, 'failed').find((one) => one.messageId === messageId)?.error).toMatchObject({
      ...{ code: 'outside_window', provider_code: 131047 },
    })
    const received = await world.network.listMessages(world.accountId, out.to, Number.MAX_SAFE_INTEGER, 50)
    expect(received.filter(({ id }) => id === engineMessageId)).toEqual([])
  }

  test('a message to a number ending in 0429 is throttled, with the seconds to wait', async () => {
    const instance = await world.connected('official')
    expect(await world.send(instance, { to: withSuffix('0429') })).toMatchObject({
      kind: 'nothing_sent',
      retryAfterSeconds: 4,
    })
  })

  test('a message to a number ending in 0190 ends the session, and onboarding starts again with a new page', async () => {
    const instance = await world.connected('official')
    expect(await world.send(instance, { to: withSuffix('0190') })).toMatchObject({ kind: 'not_ready' })
    await settle()
    expect(world.told(instance)).toEqual([{ kind: 'auth_failed', reason: 'token_revoked', code: 190, untilMs: null }])
    expect(await world.send(instance, { to: ANA })).toMatchObject({ kind: 'not_ready' })
    expect(await world.network.official.onboarding?.token(instance)).toBeTypeOf('string')
  })

  test('a payload without content is an error of the caller', async () => {
    const instance = await world.connected('official')
    const payload = { type: 'template' }
    expect(await world.send(instance, { kind: 'cloud_api', to: ANA, payload })).toMatchObject({ kind: 'invalid' })
  })

  test('the special numbers of the official engine are ordinary on smv2', async () => {
    const instance = await world.connected('smv2')
    for (const digits of ['0047', '0026', '0429', '0190']) {
      expect(await world.send(instance, { to: withSuffix(digits) })).toMatchObject({ kind: 'accepted' })
    }
  })
})

describe('with a timeline of zero', () => {
  test('a send is confirmed immediately and stores one row', async () => {
    await world.close()
    world = await networkWorld([0, 0, 0, 0])
    const instance = await world.connected('smv2')
    await world.network.changePhone(world.accountId, ANA, { receipts: 'none' })
    const rows = () => world.data.raw.prepare('SELECT count(*) AS n FROM sandbox_messages').get()
    const outcome = await world.send(instance, { to: ANA })
    expect(outcome).toMatchObject({ kind: 'accepted', status: 'sent' })
    expect(rows()).toEqual({ n: 1 })
    expect(world.told(instance)).toEqual([])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
  })

  test('thousands of simultaneous receipts are all reported, each message in order', async () => {
    await world.close()
    world = await networkWorld([0, 0, 0, 0])
    const instance = await world.connected('smv2')
    const sent = await Promise.all(Array.from({ length: 1_500 }, () => world.send(instance, { to: ANA })))
    for (let i = 0; i < 500 && world.of(instance, 'receipt').length < 3_000; i++) await settle()
    for (const { messageId } of sent.slice(0, 50))
      expect(world.statuses(instance, messageId)).toEqual(['delivered', 'read'])
    expect(world.of(instance, 'receipt')).toHaveLength(3_000)
    await settle()
    expect(world.data.raw.prepare('SELECT count(*) AS n FROM sandbox_timeline').get()).toEqual({ n: 0 })
  })

  test('receipts follow without any time passing', async () => {
    await world.close()
    world = await networkWorld([0, 0, 0, 0])
    const instance = await world.connected('smv2')
    const { messageId } = await world.send(instance, { to: ANA })
    await settle()
    expect(world.statuses(instance, messageId)).toEqual(['delivered', 'read'])
  })
})
