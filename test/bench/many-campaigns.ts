import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadOnce } from './lib/http-load.ts'
import { residentMiB } from './lib/processes.ts'
import { goal, type Goal, type Report } from './lib/report.ts'
import { pairedInstances } from './lib/sandbox-line.ts'
import { callerOf, createKey, startService, type Call } from './lib/service.ts'
import { median } from './lib/table.ts'
import { phoneOf } from './lib/people.ts'

/**
 * The service with many campaigns in parallel: how long `GET /v1/me` takes meanwhile, and how the memory grows. The
 * first run has a delay of one to two seconds, the second has none.
 */
const CAMPAIGNS = Number(process.env['CAMPAIGNS'] ?? 20)
const PEOPLE = Number(process.env['PEOPLE'] ?? 10_000)
const SLICES = Number(process.env['SLICES'] ?? 12)
const SLICE_SECONDS = 5
const NUMBERS = 20
const NUMBERS_EACH = 3
const ASKED_PER_SECOND = 100
const CONNECTIONS = 4
const P99_MS = 50
/** How much more memory the second half may need than the first, as a share. */
const GROWTH = 0.1
const PACES = { 'one to two seconds': [1, 2], 'no delay': [0, 0] } as const

export async function manyCampaigns(): Promise<Report> {
  const home = mkdtempSync(join(tmpdir(), 'bench-many-campaigns-'))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'sandbox.timeline_ms': [0, 0, 0, 0] }))
  const { program, url } = await startService(home)
  try {
    const key = createKey(home)
    const call = callerOf(url, key)
    const instances = await pairedInstances(call, NUMBERS)
    const me = {
      ...{ name: 'GET /v1/me', pid: program.pid, url: `${url}/v1/me`, method: 'GET' as const },
      headers: { authorization: `Bearer ${key}` },
    }
    const load = { connections: CONNECTIONS, seconds: SLICE_SECONDS, perSecond: ASKED_PER_SECOND }
    const alone: number[] = []
    for (let slice = 0; slice < Math.ceil(SLICES / 3); slice++) alone.push((await loadOnce(me, load)).p99)
    const rows: Record<string, string | number>[] = [
      {
        ...{ delay: 'no campaign', 'sends per second': 0 },
        ...{ 'p99 of GET /v1/me, ms': median(alone), 'worst slice, ms': Math.max(...alone) },
        ...{ 'MiB, first half': residentMiB(program.pid), 'MiB, second half': residentMiB(program.pid) },
      },
    ]
    const goals: Goal[] = []
    for (const [pace, [minDelay, maxDelay]] of Object.entries(PACES)) {
      const ids = await started(call, instances, { minDelay, maxDelay, checkNumbers: false })
      const before = await sentBy(call, ids)
      const begun = performance.now()
      const p99s: number[] = []
      const mib: number[] = []
      for (let slice = 0; slice < SLICES; slice++) {
        p99s.push((await loadOnce(me, load)).p99)
        mib.push(residentMiB(program.pid))
      }
      const sent = (await sentBy(call, ids)) - before
      const half = Math.ceil(mib.length / 2)
      const [early, late] = [median(mib.slice(0, half)), median(mib.slice(half))]
      rows.push({
        ...{ delay: pace, 'sends per second': (1_000 * sent) / (performance.now() - begun) },
        ...{ 'p99 of GET /v1/me, ms': median(p99s), 'worst slice, ms': Math.max(...p99s) },
        ...{ 'MiB, first half': early, 'MiB, second half': late },
      })
      goals.push(
        goal(`GET /v1/me, p99, ${pace}`, median(p99s), 'below', P99_MS, 'ms'),
        goal(`memory, second half of the first, ${pace}`, late / early, 'at most', 1 + GROWTH),
      )
      for (const id of ids) {
        const { status } = await call('GET', `/v1/campaigns/${id}`)
        if (status !== 'completed') await call('POST', `/v1/campaigns/${id}/cancel?confirm=true`)
      }
    }
    return {
      title: `${CAMPAIGNS} campaigns of ${PEOPLE.toLocaleString('en-US')} people on ${NUMBERS} numbers, ${SLICES * SLICE_SECONDS} s at each pace, asked ${ASKED_PER_SECOND} times a second`,
      rows,
      goals,
    }
  } finally {
    await program.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

let nextPerson = 0
const people = (): string[] => Array.from({ length: PEOPLE }, () => phoneOf(nextPerson++))

async function started(call: Call, instances: readonly string[], config: object): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < CAMPAIGNS; at++) {
    const senders = Array.from({ length: NUMBERS_EACH }, (_, i) => instances[(at + i) % instances.length])
    const { campaign_id: id } = await call('POST', '/v1/campaigns', {
      ...{ instance_ids: senders, name: `Load ${at}`, messages: [{ text: '{Hi|Hello} {{name|there}}, {{phone}}' }] },
      ...{ recipients: people().map((phone, n) => ({ phone, name: `Person ${n}` })), config, start: true },
    })
    ids.push(String(id))
  }
  return ids
}

async function sentBy(call: Call, ids: readonly string[]): Promise<number> {
  let sum = 0
  for (const id of ids) {
    const { counts } = await call('GET', `/v1/campaigns/${id}`)
    sum += (counts as { sent: number }).sent
  }
  return sum
}
