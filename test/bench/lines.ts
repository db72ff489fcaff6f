import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeQr } from '../support/qr.ts'
import { createApi, pause, until, type Api } from '../support/service-process.ts'
import { startWhatsApp, type WhatsApp } from '../support/whatsapp/index.ts'
import { startPeer, type Peer } from './lib/peer.ts'
import { cpuMicros, residentMiB } from './lib/processes.ts'
import { goal, type Report } from './lib/report.ts'
import { createKey, startService, type Service } from './lib/service.ts'

/**
 * The cost of a connected number, and how soon all numbers are connected after a restart. The service is compared
 * with a program that contains only the client library. Both run in turns against the same stand-in, in the process
 * of this program. The time figures need an otherwise idle machine.
 */
const SIZES = process.env['LINES'] === undefined ? [200, 1_000] : [Number(process.env['LINES'])]
/** The number of seconds in which this many numbers must be connected. */
const OPEN_GOALS: Readonly<Record<number, number>> = { 200: 6, 1_000: 40 }
const MINUTES = Number(process.env['MINUTES'] ?? 1)
/** The garbage collector is active in the first moments, so they are not measured. */
const SETTLE_MS = Math.min(20_000, MINUTES * 60_000)
const PATIENCE_MS = 300_000
const AT_ONCE = 4
const PLAIN = join(import.meta.dirname, 'reference/plain-lines.ts')

/** One of the two compared programs. Both store their state in a folder and are started several times. */
interface Side {
  readonly name: string
  /** The prefix of this program's phone numbers; the other program has another one. */
  readonly prefix: string
  pid(): number
  pair(number: string): Promise<void>
  stop(): Promise<void>
  /** Starts again and connects all these numbers. */
  start(numbers: readonly string[]): Promise<void>
}

interface Measured {
  readonly lines: number
  readonly pairedMiB: number
  readonly restartedMiB: number
  readonly openAfterMs: number
  readonly openCpuMs: number
}

export async function lines(): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'))
  const whatsapp = await startWhatsApp()
  const sides = [await switchboard(join(folder, 'home'), whatsapp), await plain(join(folder, 'plain'), whatsapp)]
  const measured = new Map<Side, Measured[]>(sides.map((side) => [side, []]))
  try {
    // The first step has one number: its cost includes everything that all numbers share.
    for (const size of [1, ...SIZES]) {
      for (const side of sides) measured.get(side)?.push(await measure(side, whatsapp, size))
    }
    return [reportOf([...measured].map(([{ name }, steps]) => ({ name, steps })))]
  } finally {
    for (const side of sides) await side.stop()
    await whatsapp.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(side: Side, whatsapp: WhatsApp, size: number): Promise<Measured> {
  const numbers = Array.from({ length: size }, (_, i) => `${side.prefix}${String(i).padStart(4, '0')}`)
  const deviceOf = (number: string) => whatsapp.phone(number).device
  const waiting = numbers.filter((number) => !hasDevice(whatsapp, number))
  const lane = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) await side.pair(number)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  await pause(SETTLE_MS)
  const pairedMiB = residentMiB(side.pid())
  await side.stop()
  const before = new Map(numbers.map((number) => [number, deviceOf(number).logins]))
  const startedMs = performance.now()
  await side.start(numbers)
  const isOpen = (number: string) => deviceOf(number).isOnline && deviceOf(number).logins > (before.get(number) ?? 0)
  const openAfterMs = await until('every line is open', () => numbers.every(isOpen) || undefined, PATIENCE_MS).then(
    () => performance.now() - startedMs,
    // A connection that never opens is a result, too.
    () => Infinity,
  )
  // The processor time since the start. Unlike the elapsed time, it hardly depends on what else runs.
  const openCpuMs = cpuMicros(side.pid()) / 1_000
  const closed = numbers.filter((number) => !isOpen(number)).length
  await pause(SETTLE_MS)
  const measured = { lines: size, pairedMiB, restartedMiB: residentMiB(side.pid()), openAfterMs, openCpuMs }
  console.error(`${side.name}: ${JSON.stringify(measured)}${closed > 0 ? `, ${closed} not open` : ''}`)
  return measured
}

function hasDevice(whatsapp: WhatsApp, number: string): boolean {
  try {
    return whatsapp.phone(number).device.logins > 0
  } catch {
    return false
  }
}

async function switchboard(home: string, whatsapp: WhatsApp): Promise<Side> {
  const key = createKey(home)
  let service: Service = await startService(home, whatsapp.environment)
  let api: Api = createApi(service.url, key)
  return {
    name: 'Switchboard',
    prefix: '1202556',
    pid: () => service.program.pid,
    async pair(number) {
      const made = await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: number })
      const at = `/v1/instances/${String(made.body.id)}`
      // On a busy machine, a kept-alive connection may close just when it is used. Then the request is repeated.
      const look = async (path: string) => (await api('GET', `${at}${path}`).catch(() => undefined))?.body
      const qr = async () => (await look('/qr'))?.qr ?? undefined
      await whatsapp.phone(number).scan(decodeQr(await until('a QR code', qr, 60_000)))
      const isConnected = async () => (await look('/connection'))?.connected || undefined
      await until('the connection', isConnected, 60_000)
    },
    stop: () => service.program.stop(),
    async start() {
      service = await startService(home, whatsapp.environment)
      api = createApi(service.url, key)
    },
  }
}

async function plain(folder: string, whatsapp: WhatsApp): Promise<Side> {
  let peer: Peer = await startPeer(PLAIN, whatsapp.environment)
  // The program answers one command at a time.
  let turn: Promise<unknown> = Promise.resolve()
  const ask = <T>(act: string, given: Record<string, unknown>): Promise<T> => {
    const asked = turn.then(() => peer.ask<T>(act, given))
    turn = asked.catch(() => {})
    return asked
  }
  return {
    name: 'Baileys alone',
    prefix: '1202557',
    pid: () => peer.pid,
    async pair(number) {
      await ask('connect', { folder, number })
      const qr = async () => (await ask<string | null>('qr', { number })) ?? undefined
      await whatsapp.phone(number).scan(await until('a QR code', qr, 60_000))
      await until('the connection', async () => (await ask<boolean>('isOpen', { number })) || undefined, 60_000)
    },
    stop: () => peer.stop(),
    async start(numbers) {
      peer = await startPeer(PLAIN, whatsapp.environment)
      await ask('connectAll', { folder, numbers })
    },
  }
}

function reportOf(sides: readonly { name: string; steps: readonly Measured[] }[]): Report {
  const perLine = (steps: readonly Measured[], i: number, what: 'pairedMiB' | 'restartedMiB') => {
    const [one, many] = [steps[0], steps[i]]
    return one && many && many.lines > one.lines ? ((many[what] - one[what]) * 1_024) / (many.lines - one.lines) : NaN
  }
  const [ours, theirs] = sides
  const goals = SIZES.flatMap((size, at) => {
    const i = at + 1
    if (ours === undefined || theirs === undefined) return []
    const [mine, other] = [perLine(ours.steps, i, 'restartedMiB'), perLine(theirs.steps, i, 'restartedMiB')]
    const limit = OPEN_GOALS[size]
    return [
      goal(`memory of each of ${size} lines, of Baileys alone`, mine / other, 'at most', 1),
      goal(
        `memory of each of ${size} lines after pairing, of after a restart`,
        perLine(ours.steps, i, 'pairedMiB') / mine,
        'at most',
        1.2,
      ),
      ...(limit === undefined
        ? []
        : [goal(`${size} lines open`, (ours.steps[i]?.openAfterMs ?? NaN) / 1_000, 'at most', limit, 's')]),
    ]
  })
  const rows = sides.flatMap(({ name, steps }) =>
    steps.map(({ lines: count, pairedMiB, restartedMiB, openAfterMs, openCpuMs }, i) => ({
      program: name,
      lines: String(count),
      'MiB after pairing': pairedMiB,
      'MiB after a restart': restartedMiB,
      'KiB a line': i === 0 ? '' : perLine(steps, i, 'restartedMiB').toFixed(0),
      'all open after s': openAfterMs / 1_000,
      'CPU s until then': openCpuMs / 1_000,
    })),
  )
  return {
    title: 'Live lines',
    rows,
    goals,
    notes: [
      'KiB a line is what each line after the first takes of resident memory after a restart. Times are from the start of the process.',
    ],
  }
}
