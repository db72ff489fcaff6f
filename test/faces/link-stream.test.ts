import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import type { LinkView } from '../../main/capabilities/links/index.ts'
import { createLinkStreams, type LinkStreamsDeps } from '../../main/faces/link-page/stream.ts'
import type { AccountId, InstanceId } from '../../main/kernel/ids.ts'
import { fakeClock, settle } from '../support/clock.ts'

test('a link that ends while its page is being read ends the stream immediately', async () => {
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
  streams.open(reply, 't', link, () => 'page')
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
