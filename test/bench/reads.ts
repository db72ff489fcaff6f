import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadInRounds, type Target } from './lib/http-load.ts'
import { startProgram } from './lib/processes.ts'
import type { Report } from './lib/report.ts'
import { pairedLine, SILENT_NUMBER } from './lib/sandbox-line.ts'
import { callerOf, createKey, startService, type Call } from './lib/service.ts'
import { median, paired } from './lib/table.ts'

/**
 * Reads over HTTP, compared with a bare Fastify that gives the same answers from memory, with key check, schema and
 * headers.
 */
const CONNECTIONS = 64
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 2)
const REFERENCE_KEY = 'a-key-of-the-reference-program'

export async function reads(): Promise<Report[]> {
  const home = mkdtempSync(join(tmpdir(), 'bench-reads-'))
  const { program, url } = await startService(home)
  try {
    const key = createKey(home)
    const call = callerOf(url, key)
    const paths = await whatIsRead(call)
    const bodies: Record<string, unknown> = {}
    for (const path of Object.values(paths)) bodies[path] = await call('GET', path)
    const file = join(import.meta.dirname, 'reference/read-server.ts')
    const reference = await startProgram(file, [REFERENCE_KEY, JSON.stringify(bodies)], {})
    const target = (name: string, pid: number, at: string, token: string): Target => {
      return { name, pid, url: at, method: 'GET', headers: { authorization: `Bearer ${token}` } }
    }
    const targets = Object.entries(paths).flatMap(([what, path]) => [
      target(`${what}: bare Fastify`, reference.pid, `${String(reference.ready['url'])}${path}`, REFERENCE_KEY),
      target(`${what}: Switchboard`, program.pid, `${url}${path}`, key),
    ])
    try {
      return [await table(targets)]
    } finally {
      await reference.stop()
    }
  } finally {
    await program.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function whatIsRead(call: Call): Promise<Record<string, string>> {
  const instance = await pairedLine(call)
  const sent = await call('POST', `/v1/instances/${instance}/messages`, { to: SILENT_NUMBER, text: 'Hello' })
  return {
    '/v1/me': '/v1/me',
    'an instance': `/v1/instances/${instance}`,
    "a message's status": `/v1/instances/${instance}/messages/${String(sent['message_id'])}`,
  }
}

async function table(targets: readonly Target[]): Promise<Report> {
  const rounds = await loadInRounds(targets, { connections: CONNECTIONS, rounds: ROUNDS, seconds: SECONDS })
  const rates = rounds.map((all) => all.map(({ perSecond }) => perSecond))
  return {
    title: `Reads, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, medians; ratios are medians of same-round ratios`,
    rows: targets.map(({ name }, i) => ({
      read: name,
      'per second': median(rates[i] ?? []),
      'p99 ms': median((rounds[i] ?? []).map(({ p99 }) => p99)),
      'CPU µs each': median((rounds[i] ?? []).map(({ cpu }) => cpu)),
      // In each pair, the reference comes first, then the product.
      'of the bare one': paired(rates[i] ?? [], rates[i - (i % 2)] ?? []),
    })),
  }
}
