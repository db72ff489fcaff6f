import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import type { LinkView } from '../../main/capabilities/links/index.ts'
import { LIMITS } from '../../main/contract/limits.ts'
import { createLinkStreams, type LinkStreamsDeps } from '../../main/faces/link-page/stream.ts'
import type { AccountId, InstanceId } from '../../main/kernel/ids.ts'
import { fakeClock, settle } from '../support/clock.ts'

test('a link that ends while its page is open ends the stream immediately', async () => {
  const reading: ((view: LinkView | undefined) => void)[] = []
  let notify = () => {}
  const live = {
    feed: () => ({
      subscribe(listener: (entry: unknown) => void) {
        notify = () => listener({ id: 1, notice: { topic: 'access-links', instance_id: 'i' } })
        return () => {}
      },
    }),
  }
  const streams = createLinkStreams({
    page: { view: () => new Promise((resolve) => reading.push(resolve)) },
    live: live as unknown as LinkStreamsDeps['live'],
    clock: fakeClock(),
  })
  const raw = Object.assign(new PassThrough(), { writeHead: () => raw })
  let said = ''
  raw.on('data', (bytes: Buffer) => (said += bytes.toString()))
  const reply = { raw, hijack() {}, getHeaders: () => ({}) } as unknown as FastifyReply
  const link = { accountId: 'a' as AccountId, instanceId: 'i' as InstanceId }
  streams.open(reply, 't', link, () => 'page', 'full')
  await settle()

  // The first look has read the open link; then it is revoked.
  notify()
  reading.shift()?.({ isDone: false } as LinkView)
  await settle()
  reading.shift()?.(undefined)
  await settle()
  expect(said).toContain('event: gone')
  expect(raw.writableEnded).toBe(true)
  streams.close()
})

test('when a number has all pages that it may have, the next gets a retry time, and a slot once another closes', async () => {
  const streams = createLinkStreams({
    page: { view: async () => ({ isDone: false }) as LinkView },
    live: { feed: () => ({ subscribe: () => () => {} }) } as unknown as LinkStreamsDeps['live'],
    clock: fakeClock(),
  })
  const link = { accountId: 'a' as AccountId, instanceId: 'i' as InstanceId }
  const open = (token: string) => {
    const raw = Object.assign(new PassThrough(), { writeHead: () => raw })
    streams.open(
      { raw, hijack() {}, getHeaders: () => ({}) } as unknown as FastifyReply,
      token,
      link,
      () => 'page',
      'Later.',
    )
    return raw
  }
  const perInstance = LIMITS.linkStreams.perInstance
  const [first] = Array.from({ length: perInstance }, (_, nth) => open(`link ${nth % 7}`))
  expect(() => open('link 7')).toThrow(
    expect.objectContaining({ code: 'rate_limited', message: 'Later.', headers: { 'retry-after': '10' } }),
  )
  first?.destroy()
  await settle()
  expect(open('link 7').destroyed).toBe(false)
  streams.close()
})
