import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../../support/service-process.ts'
import { Objection, type Court, type Judge } from '../court.ts'
import { slowClient, type Manner, type SlowClient } from './sockets.ts'

const OF_EACH_MANNER = 50
const STANDING_AFTER_MS = 4_000
const GONE_WITHIN_MS = 20_000
/** Others must not notice. The machine that judges may be small and busy, so the bound is a wide one. */
const P99_MS = 250
const OTHERS = 4
const SERVED_AT_LEAST = 500
/** What is left in the kernel for those who did not read is read in this time. */
const READING_MS = 1_000
/** More than the buffers of two kernels hold. */
const DOCUMENTS_ASKED = 40

interface Crowd {
  readonly manner: Manner
  readonly clients: readonly SlowClient[]
}

/** Two hundred connections that keep a server waiting, and others who must be served meanwhile as ever. */
export const judge: Judge = {
  about: 'two hundred slow clients on real sockets',
  async judge(court: Court) {
    const port = Number(new URL(court.url).port)
    const { headers } = await fetch(`${court.url}/openapi.yaml`, { method: 'HEAD' })
    const whole = Number(headers.get('content-length')) * DOCUMENTS_ASKED
    const before = socketsOf(court.pid)
    const held = () => (before === undefined ? undefined : (socketsOf(court.pid) ?? 0) - before)
    const startedAtMs = performance.now()
    const crowds = mannersOf(court).map((manner) => ({
      manner,
      clients: Array.from({ length: OF_EACH_MANNER }, () => slowClient(port, manner)),
    }))
    try {
      const served = serveOthers(court, startedAtMs + GONE_WITHIN_MS)
      const standing = pause(STANDING_AFTER_MS).then(() => mustStand(crowds, held()))
      const [latencies] = await Promise.all([served, standing])
      const lastGoneMs = (await mustBeGone(crowds, whole, held())) - startedAtMs
      return `the last was sent away after ${(lastGoneMs / 1_000).toFixed(1)} s; ${howOthersFared(latencies)}`
    } finally {
      for (const { clients } of crowds) for (const client of clients) client.cut()
    }
  },
}

function mannersOf({ url, key }: Court): readonly Manner[] {
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${key}\r\n`
  const half = `${head('POST /v1/instances')}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`
  const asking = `${head('GET /openapi.yaml')}\r\n`.repeat(DOCUMENTS_ASKED)
  return [
    { name: 'that send nothing', act: () => {} },
    {
      name: 'that dribble headers',
      act: (write, second) => write(second === 0 ? `${head('GET /v1/me')}X-Slow: ` : 'a'),
    },
    { name: 'that dribble a body', act: (write, second) => write(second === 0 ? half : ' ') },
    { name: 'that do not read', isDeaf: true, act: (write, second) => write(second === 0 ? asking : '') },
  ]
}

/** @returns how long each of the ordinary requests took, in milliseconds. */
async function serveOthers({ api, url }: Court, untilMs: number): Promise<number[]> {
  const latencies: number[] = []
  const one = async () => {
    while (performance.now() < untilMs) {
      const startedAtMs = performance.now()
      const { status } = await api('GET', '/v1/me')
      if (status !== 200) throw new Objection(`GET ${url}/v1/me answers ${status} while slow clients are there.`)
      latencies.push(performance.now() - startedAtMs)
      await pause(20)
    }
  }
  await Promise.all(Array.from({ length: OTHERS }, one))
  return latencies
}

/** Without this the judge could pass because nobody ever came. */
function mustStand(crowds: readonly Crowd[], held: number | undefined): void {
  for (const { manner, clients } of crowds) {
    const standing = clients.filter(({ isOpen }) => isOpen).length
    if (standing !== OF_EACH_MANNER)
      throw new Objection(`${standing} of ${OF_EACH_MANNER} ${manner.name} stand after ${STANDING_AFTER_MS} ms.`)
  }
  if (held !== undefined && held < crowds.length * OF_EACH_MANNER)
    throw new Objection(`All connections stand, and the service holds ${held} sockets.`)
}

/** @param whole bytes of all the answers that those who do not read have asked for. @returns when the last one had gone. */
async function mustBeGone(crowds: readonly Crowd[], whole: number, held: number | undefined): Promise<number> {
  const deaf = crowds.filter(({ manner }) => manner.isDeaf === true).flatMap(({ clients }) => clients)
  // They learn of it only by reading: what the kernel kept for them, and then the end, or else all the rest.
  for (const client of deaf) client.listen()
  await pause(READING_MS)
  for (const { manner, clients } of crowds) {
    const left = clients.filter(({ goneAtMs }) => goneAtMs === null).length
    if (left > 0) throw new Objection(`${left} of ${OF_EACH_MANNER} ${manner.name} stand after ${GONE_WITHIN_MS} ms.`)
  }
  const odd = deaf.filter(({ bytes }) => bytes === 0 || bytes >= whole).length
  if (odd > 0) throw new Objection(`${odd} that do not read got nothing, or all that they asked for.`)
  // Where the other side never closes, a socket can be gone for its client and be held by the service all the same.
  if (held !== undefined && held > OTHERS) throw new Objection(`All are gone, and the service holds ${held} sockets.`)
  const heard = crowds.flatMap(({ clients }) => clients).filter((client) => !deaf.includes(client))
  return Math.max(...heard.map(({ goneAtMs }) => goneAtMs ?? Infinity))
}

function howOthersFared(latencies: readonly number[]): string {
  const sorted = latencies.toSorted((one, two) => one - two)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Infinity
  const [count, ms] = [sorted.length, p99.toFixed(0)]
  if (count < SERVED_AT_LEAST) throw new Objection(`Only ${count} ordinary requests were answered meanwhile.`)
  if (p99 > P99_MS) throw new Objection(`Ordinary requests meanwhile: p99 ${ms} ms, more than ${P99_MS} ms.`)
  return `${count} ordinary requests meanwhile, p99 ${ms} ms`
}

/** How many sockets the process holds; undefined where the system does not show it as Linux does. */
function socketsOf(pid: number): number | undefined {
  const folder = `/proc/${pid}/fd`
  if (!existsSync(folder)) return undefined
  const isSocket = (name: string) => {
    try {
      return readlinkSync(join(folder, name)).startsWith('socket:')
    } catch {
      // Closed since the folder was read.
      return false
    }
  }
  return readdirSync(folder).filter(isSocket).length
}
