import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeQr } from '../support/qr.ts'
import { createApi, pause, until, type Api } from '../support/service-process.ts'
import { startWhatsApp, type WhatsApp } from '../support/whatsapp/index.ts'
import { cpuMicros, residentMiB } from './lib/processes.ts'
import type { Report } from './lib/report.ts'
import { createKey, startService, type Service } from './lib/service.ts'

/**
 * The cost of connected but idle numbers: memory of the whole service at a growing count of paired instances, and
 * again after a restart, when nothing of the pairing is left in memory; how soon all of these are connected then, and
 * how much processor time they use. The network is the stand-in of the tests, in the process of this program.
 */
const LINES = Number(process.env['LINES'] ?? 200)
const STEPS = [0, Math.ceil(LINES / 4), LINES]
const MINUTES = Number(process.env['MINUTES'] ?? 1)
const AT_ONCE = 4
/** The garbage collector is active in the first moments, so they are not measured. */
const SETTLE_MS = Math.min(20_000, MINUTES * 60_000)
const WATCH_MS = SETTLE_MS / 2

interface Step {
  readonly lines: number
  readonly pairedMiB: number
  readonly restarted: { readonly mib: number; readonly cpuPercent: number; readonly openAfterMs: number }
}

export async function idleLines(): Promise<Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'))
  const whatsapp = await startWhatsApp()
  const key = createKey(home)
  let service = await startService(home, whatsapp.environment)
  try {
    const steps: Step[] = []
    for (const lines of STEPS) {
      await pairUpTo(createApi(service.url, key), whatsapp, steps.at(-1)?.lines ?? 0, lines)
      await pause(SETTLE_MS)
      const pairedMiB = residentMiB(service.program.pid)
      await service.program.stop()
      const startedMs = performance.now()
      service = await startService(home, whatsapp.environment)
      await until('every line is open', () => whatsapp.connections >= lines || undefined, 180_000)
      const openAfterMs = performance.now() - startedMs
      steps.push({ lines, pairedMiB, restarted: { ...(await idle(service)), openAfterMs } })
    }
    return [reportOf(steps)]
  } finally {
    await service.program.stop()
    await whatsapp.close()
    rmSync(home, { recursive: true, force: true })
  }
}

async function pairUpTo(api: Api, whatsapp: WhatsApp, from: number, to: number): Promise<void> {
  const waiting = Array.from({ length: to - from }, (_, i) => `1202556${String(from + i).padStart(4, '0')}`)
  const lane = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) await pair(api, whatsapp, number)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

async function pair(api: Api, whatsapp: WhatsApp, number: string): Promise<void> {
  const made = await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: number })
  const at = `/v1/instances/${String(made.body.id)}`
  const picture = await until('a QR code', async () => (await api('GET', `${at}/qr`)).body.qr ?? undefined, 60_000)
  await whatsapp.phone(number).scan(decodeQr(picture))
  const isConnected = async () => (await api('GET', `${at}/connection`)).body.connected || undefined
  await until('the connection', isConnected, 60_000)
}

async function idle({ program }: Service) {
  await pause(SETTLE_MS)
  const before = cpuMicros(program.pid)
  await pause(WATCH_MS)
  const cpuPercent = (cpuMicros(program.pid) - before) / (WATCH_MS * 10)
  return { mib: residentMiB(program.pid), cpuPercent }
}

function reportOf(steps: readonly Step[]): Report {
  return {
    title: 'Idle live lines',
    rows: steps.map(({ lines, pairedMiB, restarted }, i) => ({
      lines: String(lines),
      'MiB after pairing': pairedMiB,
      'MiB after a restart': restarted.mib,
      'KiB a line more': kibiPerLine(steps[i - 1], steps[i]),
      'all open after s': restarted.openAfterMs / 1_000,
      'CPU %': restarted.cpuPercent,
    })),
    notes: ['The client library is loaded in every row, also where there is no line yet.'],
  }
}

/**
 * The first numbers load what all numbers share. The difference between two steps is the cost of each further number.
 */
function kibiPerLine(before: Step | undefined, after: Step | undefined): number {
  if (before === undefined || after === undefined) return 0
  return ((after.restarted.mib - before.restarted.mib) * 1_024) / (after.lines - before.lines)
}
