import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { connected, pairedLive } from '../support/whatsapp/paired.ts'

const OURS = '12025550200'
const ANA = '12025550101'
const MB = 1_000_000
const LARGE = 95 * MB
/** Held in one piece a file of this size took 380 MB. */
const MOST = 40 * MB

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let instance: string
let host: Server
/** What the host of the caller's files serves, by path. */
const served = new Map<string, Buffer>()

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  host = createServer((request, response) => {
    response.setHeader('content-type', 'application/pdf')
    response.end(served.get(request.url ?? ''))
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  whatsapp = await startWhatsApp()
  home = testHome()
  key = (await home.key('Files')).key
  home.write({ 'egress.trusted_ranges': ['127.0.0.1/32'] })
  service = await home.start(whatsapp.environment)
  instance = await pairedLive(api, whatsapp, OURS)
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
  host.close()
})

/** Resident memory of the service. */
function residentBytes(): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

/** How far the memory of the service rose meanwhile, at its highest. */
async function growthDuring(act: () => Promise<void>): Promise<number> {
  const before = residentBytes()
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, residentBytes())), 10)
  try {
    await act()
  } finally {
    clearInterval(timer)
  }
  return peak - before
}

async function send(bytes: Buffer): Promise<void> {
  const path = `/${sha256(bytes)}.pdf`
  served.set(path, bytes)
  const { port } = host.address() as AddressInfo
  const body = { to: ANA, media_url: `http://127.0.0.1:${port}${path}`, media_type: 'document' }
  const sent = await api('POST', `/v1/instances/${instance}/messages`, body)
  expect([sent.status, sent.body]).toMatchObject([201, { sent: true }])
  const arrived = whatsapp.phone(ANA).received(OURS).at(-1)?.file
  expect(sha256(arrived ?? Buffer.alloc(0))).toBe(sha256(bytes))
}

/** Until it was downloaded from the service. */
async function receive(bytes: Buffer): Promise<void> {
  await whatsapp.phone(ANA).sendFile(OURS, { kind: 'document', bytes, mimeType: 'application/pdf' })
  const media = await until('the file arrives', () => newestMedia(bytes.length), 60_000)
  expect(media).toMatchObject({ size: bytes.length })
  const file = await fetch(`${service.url}/v1/instances/${instance}/media/${media.id}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const hash = createHash('sha256')
  for await (const part of file.body ?? []) hash.update(part)
  expect(hash.digest('hex')).toBe(sha256(bytes))
}

async function newestMedia(size: number) {
  const { body } = await api('GET', `/v1/events?type=message.received`)
  const media = body.data.map(({ data }: { data: { media: unknown } }) => data.media) as ({
    id: string
    size: number
  } | null)[]
  return media.find((each) => each?.size === size) ?? undefined
}

test.each([
  ['sent', send],
  ['received', receive],
])('a document of 95 MB that is %s takes less than 40 MB of memory', async (_, act) => {
  // The least of a few runs: on a busy machine, memory is returned late. A file held whole would take 95 MB in each.
  let growth = Infinity
  for (let run = 0; run < 3 && growth >= MOST; run++) {
    await restart()
    // What is loaded once is loaded.
    await act(randomBytes(2 * MB + run))
    const large = randomBytes(LARGE + run)
    growth = Math.min(growth, await growthDuring(() => act(large)))
  }
  expect(growth / MB).toBeLessThan(MOST / MB)
})

/** Memory that an earlier file took, and that was not returned, would hide what this one takes. */
async function restart(): Promise<void> {
  await service.end('SIGTERM')
  service = await home.start(whatsapp.environment)
  await connected(api, instance)
}
