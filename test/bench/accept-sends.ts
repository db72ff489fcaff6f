import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadInRounds, type Target } from './lib/http-load.ts'
import { startProgram } from './lib/processes.ts'
import { goal, type Report } from './lib/report.ts'
import { pairedLine, SILENT_NUMBER } from './lib/sandbox-line.ts'
import { callerOf, createKey, startService } from './lib/service.ts'
import { median, paired } from './lib/table.ts'

/**
 * Accepted sends per second over HTTP, compared with programs that do the same durable work and nothing else.
 * Settings: sandbox timeline 0, no receipts, and one paused webhook, so that the delivery of every event is stored
 * and held.
 */
const CONNECTIONS = 64
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const SECONDS = Number(process.env['SECONDS'] ?? 2)
const BODY = {
  to: SILENT_NUMBER,
  text: 'Hello, your order 12345 has left our warehouse and arrives tomorrow.',
}

interface Contender extends Target {
  stop(): Promise<void>
}

export async function acceptSends(): Promise<Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-product-'))
  const contenders = [
    await reference('5-stmt tx, sync=FULL', 'single'),
    await reference('5-stmt tx, group, sync=FULL', 'grouped'),
    await product(home),
  ]
  try {
    const load = { connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS }
    const rounds = await loadInRounds(contenders, load)
    const [single = [], grouped = [], ours = []] = rounds.map((all) => all.map(({ perSecond }) => perSecond))
    return [
      {
        title: `Accepted sends, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, medians; ratios are medians of same-round ratios`,
        rows: contenders.map(({ name }, i) => {
          const all = rounds[i] ?? []
          const rates = all.map(({ perSecond }) => perSecond)
          return {
            program: name,
            'per second': median(rates),
            'p99 ms': median(all.map(({ p99 }) => p99)),
            'CPU µs each': median(all.map(({ cpu }) => cpu)),
            'of grouped': paired(rates, grouped),
            'of single': paired(rates, single),
          }
        }),
        goals: [
          goal('sends, of the grouped reference', paired(ours, grouped), 'at least', 0.8),
          goal('sends, times the one that commits each', paired(ours, single), 'at least', 3),
        ],
      },
    ]
  } finally {
    for (const contender of contenders) await contender.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function reference(name: string, mode: string): Promise<Contender> {
  const key = 'a-key-of-the-reference-program'
  const file = join(import.meta.dirname, 'reference/send-server.ts')
  const { pid, ready, stop } = await startProgram(file, [mode, key], {})
  return {
    ...{ name, pid, stop, method: 'POST', body: BODY, headers: { authorization: `Bearer ${key}` } },
    url: `${String(ready['url'])}/v1/instances/0b0e7a8e-6f0e-4a4e-9d53-1f6a1c2b3d4e/messages`,
  }
}

async function product(home: string): Promise<Contender> {
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'sandbox.timeline_ms': [0, 0, 0, 0] }))
  const { program, url } = await startService(home)
  const key = createKey(home)
  const call = callerOf(url, key)
  const { id: webhook } = await call('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/bench', events: ['*'] })
  await call('PATCH', `/v1/webhooks/${String(webhook)}`, { active: false })
  const instance = await pairedLine(call)
  const headers = { authorization: `Bearer ${key}` }
  return {
    ...{ name: 'Switchboard', pid: program.pid, stop: program.stop, method: 'POST', body: BODY, headers },
    url: `${url}/v1/instances/${instance}/messages`,
  }
}
