import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadOnce } from './lib/http-load.ts'
import { residentMiB } from './lib/processes.ts'
import { goal, type Goal, type Report } from './lib/report.ts'
import { pairedLine, SILENT_NUMBER } from './lib/sandbox-line.ts'
import { callerOf, createKey, startService, type Call, type Service } from './lib/service.ts'
import { median } from './lib/table.ts'

/**
 * Resident memory: of a new service without requests, of a service with many sandbox instances, and its growth while
 * messages are sent and delivered. The growth is measured in the second half of `MINUTES`, when caches are full.
 */
const MINUTES = Number(process.env['MINUTES'] ?? 1)
const INSTANCES = Number(process.env['INSTANCES'] ?? 1_000)
const PER_SECOND = 50
const SLICE_SECONDS = Math.min(10, MINUTES * 15)
const FULL_MINUTES = 60
const QUIET_MS = Math.min(3_000, MINUTES * 60_000)
const IDLE_MIB = 150
const SLOPE_MIB = 1

export async function memory(): Promise<Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-memory-'))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'sandbox.timeline_ms': [0, 0, 0, 0] }))
  const service = await startService(home)
  try {
    const idle = await quiet(service)
    const key = createKey(home)
    const call = callerOf(service.url, key)
    const instance = await pairedLine(call)
    for (let made = 1; made < INSTANCES; made++) await call('POST', '/v1/instances', { name: `Line ${made}` })
    const many = await quiet(service)
    const samples = await underLoad(service, call, { key, instance })
    return [reportOf({ idle, many, after: await quiet(service), slope: slopeOf(samples) })]
  } finally {
    await service.program.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function quiet({ program }: Service): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  return residentMiB(program.pid)
}

interface Sample {
  readonly hours: number
  readonly mib: number
}

async function underLoad(
  { program, url }: Service,
  call: Call,
  { key, instance }: { key: string; instance: string },
): Promise<Sample[]> {
  await call('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/bench', events: ['*'] })
  const target = {
    ...{ name: 'sends', pid: program.pid, url: `${url}/v1/instances/${instance}/messages`, method: 'POST' as const },
    headers: { authorization: `Bearer ${key}` },
    body: { to: SILENT_NUMBER, text: 'Hello, your order 12345 has left our warehouse.' },
  }
  const begun = performance.now()
  const samples: Sample[] = []
  const hours = () => (performance.now() - begun) / 3_600_000
  while (hours() * 60 < MINUTES) {
    await loadOnce(target, { connections: 4, seconds: SLICE_SECONDS, perSecond: PER_SECOND })
    samples.push({ hours: hours(), mib: residentMiB(program.pid) })
  }
  return samples
}

/** MiB per hour: the median of the slopes between all pairs of samples, which one outlier does not move. */
function slopeOf(samples: readonly Sample[]): number {
  const settled = samples.slice(Math.floor(samples.length / 2))
  const slopes = settled.flatMap((a, i) => settled.slice(i + 1).map((b) => (b.mib - a.mib) / (b.hours - a.hours)))
  return median(slopes)
}

function reportOf({ idle, many, after, slope }: Record<'idle' | 'many' | 'after' | 'slope', number>): Report {
  const isFull = MINUTES >= FULL_MINUTES
  const goals: Goal[] = [goal('idle', idle, 'below', IDLE_MIB, 'MiB')]
  if (isFull) goals.push(goal('slope under load', slope, 'below', SLOPE_MIB, 'MiB per hour'))
  return {
    title: `Resident memory; load: ${PER_SECOND} sends a second with their deliveries for ${MINUTES} minutes`,
    rows: [
      { when: 'idle, new', MiB: idle },
      { when: `with ${INSTANCES} sandbox instances`, MiB: many },
      { when: 'after the load', MiB: after },
      { when: 'slope over the second half, MiB per hour', MiB: slope },
    ],
    goals,
    ...(!isFull && {
      notes: [
        `The load went on for ${MINUTES} minutes and not for ${FULL_MINUTES}, so its slope is judged by nothing.`,
      ],
    }),
  }
}
