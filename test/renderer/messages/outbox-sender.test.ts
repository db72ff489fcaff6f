import { describe, expect, test } from 'vitest'
import { Problem } from '../../../renderer/app/problem.ts'
import { createOutbox } from '../../../renderer/rooms/messages/outbox-sender.ts'
import { createOutboxStorage } from '../../../renderer/rooms/messages/outbox-storage.ts'
import type { OutboxMessage } from '../../../renderer/rooms/messages/outbox.ts'

const HOUR_MS = 3_600_000
const MESSAGE = { instanceId: 'i', chat: '12025550123', body: { to: '12025550123', text: 'hello' }, after: undefined }

/** A browser's storage, in memory. */
function browserStorage() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    key: (index: number) => [...items.keys()][index] ?? null,
    get length() {
      return items.size
    },
  }
}

/** The service as the network shows it: what arrives is sent once for each key, and the answer may be lost. */
function service() {
  const sent = new Map<string, string>()
  const state = {
    sent,
    sends: 0,
    /** Thrown before the message arrives. */
    unreachable: undefined as Problem | undefined,
    /** Thrown after it arrived. */
    lostAnswer: undefined as Problem | undefined,
    findFails: undefined as Problem | undefined,
    forgetsKeys: false,
  }
  return {
    state,
    async send(_instance: string, _body: object, key: string) {
      if (state.unreachable) throw state.unreachable
      state.sends++
      if (!sent.has(key) || state.forgetsKeys) sent.set(key, `msg_${state.sends}`)
      if (state.lostAnswer) throw state.lostAnswer
      return sent.get(key) ?? ''
    },
    async find(_instance: string, key: string) {
      if (state.findFails) throw state.findFails
      const found = sent.get(key)
      if (found === undefined) throw new Problem(404, 'not_found', '')
      return found
    },
  }
}

function open(storage: ReturnType<typeof browserStorage>, network: ReturnType<typeof service>, clock = { now: 0 }) {
  let shown: readonly OutboxMessage[] = []
  const outbox = createOutbox({
    ...{ send: network.send, find: network.find, storage: createOutboxStorage(storage, 'account') },
    now: () => clock.now,
    wait: async () => {},
    onChange: (next) => (shown = next),
    onAccepted: async () => new Set(network.state.sent.values()),
  })
  return { outbox, shown: () => shown }
}

const offline = new Problem(0, 'unreachable', 'Failed to fetch', { isRetryable: true })

describe('a message that could not be sent', () => {
  test('survives a reload and is sent once on retry', async () => {
    const [storage, network] = [browserStorage(), service()]
    network.state.unreachable = offline
    await open(storage, network).outbox.send(MESSAGE)

    const reloaded = open(storage, network)
    await reloaded.outbox.restore()
    const [left] = reloaded.shown()
    expect(left).toMatchObject({ ...MESSAGE, state: 'failed', problem: { code: 'unreachable' } })

    network.state.unreachable = undefined
    await reloaded.outbox.retry(left?.key ?? '')
    expect([network.state.sends, reloaded.shown(), storage.length]).toEqual([1, [], 0])
  })

  test('is gone after it is discarded', async () => {
    const [storage, network] = [browserStorage(), service()]
    network.state.unreachable = offline
    const { outbox, shown } = open(storage, network)
    await outbox.send(MESSAGE)
    expect(outbox.discard(shown()[0]?.key ?? '')?.body).toEqual(MESSAGE.body)
    expect([shown(), storage.length, network.state.sends]).toEqual([[], 0, 0])
  })

  test('belongs to its account only', async () => {
    const [storage, network] = [browserStorage(), service()]
    network.state.unreachable = offline
    await open(storage, network).outbox.send(MESSAGE)
    expect(createOutboxStorage(storage, 'other').read()).toEqual([])
  })
})

describe('a message whose answer was lost', () => {
  test('is found by its key and not sent again', async () => {
    const [storage, network] = [browserStorage(), service()]
    network.state.lostAnswer = offline
    const { outbox, shown } = open(storage, network)
    await outbox.send(MESSAGE)
    expect([network.state.sends, shown(), storage.length]).toEqual([1, [], 0])
  })

  test('is found after a reload in the middle of sending', async () => {
    const [storage, network] = [browserStorage(), service()]
    network.state.lostAnswer = offline
    network.state.findFails = offline
    await open(storage, network).outbox.send(MESSAGE)
    // The window closed before any answer: nothing is known of how it ended.
    for (const [name, text] of storage.items)
      storage.items.set(name, JSON.stringify({ ...JSON.parse(text), state: 'sending', problem: undefined }))

    network.state.findFails = undefined
    const reloaded = open(storage, network)
    await reloaded.outbox.restore()
    expect([network.state.sends, reloaded.shown(), storage.length]).toEqual([1, [], 0])
  })

  test('is looked up again once the service is back', async () => {
    const [storage, network] = [browserStorage(), service()]
    Object.assign(network.state, { lostAnswer: offline, findFails: offline })
    const { outbox, shown } = open(storage, network)
    await outbox.send(MESSAGE)
    expect(network.state.sends).toBe(1)
    expect(shown()).toMatchObject([{ state: 'failed', isUnsettled: true }])

    Object.assign(network.state, { lostAnswer: undefined, findFails: undefined })
    await outbox.settle()
    expect([network.state.sends, shown(), storage.length]).toEqual([1, [], 0])
  })

  test('is shown as not sent once the service does not know it', async () => {
    const [storage, network] = [browserStorage(), service()]
    Object.assign(network.state, { unreachable: offline, findFails: offline })
    const { outbox, shown } = open(storage, network)
    await outbox.send(MESSAGE)
    expect(shown()).toMatchObject([{ state: 'failed', isUnsettled: true }])

    network.state.findFails = undefined
    await outbox.settle()
    expect(shown()).toMatchObject([{ state: 'failed', isUnsettled: false }])
  })

  test('is never sent twice, even after its key expired', async () => {
    const [storage, network, clock] = [browserStorage(), service(), { now: 0 }]
    network.state.lostAnswer = new Problem(429, 'rate_limited', '', { isRetryable: true })
    const { outbox, shown } = open(storage, network, clock)
    await outbox.send(MESSAGE)
    const key = shown()[0]?.key ?? ''

    clock.now = 25 * HOUR_MS
    Object.assign(network.state, { forgetsKeys: true, lostAnswer: undefined, findFails: offline })
    await outbox.retry(key)
    expect([network.state.sends, shown()[0]?.state]).toEqual([1, 'failed'])

    network.state.findFails = undefined
    await outbox.retry(key)
    expect([network.state.sends, shown()]).toEqual([1, []])
  })
})

test('ignores stored values that are not messages', () => {
  const storage = browserStorage()
  for (const text of ['', 'null', '{}', '[1]', '{"key":"a"}', 'no json'])
    storage.setItem(`switchboard.outbox.account.${text}`, text)
  expect(createOutboxStorage(storage, 'account').read()).toEqual([])
})
