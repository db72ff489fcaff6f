import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { show, type Report } from './lib/report.ts'

/**
 * `npm run bench -- pages`: that program prints its tables. `npm run bench`: all of them, at full size and with an hour
 * under load, and RESULTS.md is written anew. Sizes are taken from the environment where it has them: ROUNDS, SECONDS,
 * DELIVERIES, ROWS, LINES, MINUTES, RIVALS=none. Exit code 0 only if every goal is met.
 */
type Program = () => Promise<readonly Report[]>

// Each is loaded when its turn comes: they read their sizes, and some find the built service, as they are loaded.
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  'accept-sends': async () => (await import('./accept-sends.ts')).acceptSends,
  reads: async () => (await import('./reads.ts')).reads,
  mcp: async () => (await import('./mcp.ts')).mcp,
  enqueue: async () => (await import('./enqueue.ts')).enqueue,
  deliveries: async () => (await import('./deliveries.ts')).deliveries,
  pages: async () => (await import('./pages.ts')).pages,
  'start-up': async () => (await import('./start-up.ts')).startUp,
  claims: async () => (await import('./claims.ts')).claims,
  disk: async () => (await import('./disk.ts')).disk,
  window: async () => (await import('./window.ts')).window,
  'idle-lines': async () => (await import('./idle-lines.ts')).idleLines,
  memory: async () => (await import('./memory.ts')).memory,
}
const FULL = { ROWS: '5000000', MINUTES: '60' } as const
const HERE = import.meta.dirname

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !(name in PROGRAMS))
if (unknown.length > 0) {
  console.error(`There is no program ${unknown.join(', ')}. There are: ${Object.keys(PROGRAMS).join(', ')}.`)
  process.exit(2)
}
const isFull = chosen.length === 0
if (isFull) Object.assign(process.env, { ...FULL, ...process.env })
execFileSync(process.execPath, [join(HERE, '../../resources/run.mjs'), 'build'], { stdio: 'inherit' })

const reports: Report[] = []
for (const [name, load] of Object.entries(PROGRAMS)) {
  if (!isFull && !chosen.includes(name)) continue
  const program = await load()
  for (const report of await program()) {
    reports.push(report)
    console.log(`\n${show(report)}`)
  }
}
const missed = reports.flatMap(({ goals = [] }) => goals).filter(({ isMet }) => !isMet)
if (missed.length > 0) process.exitCode = 1
if (isFull) writeFileSync(join(HERE, 'RESULTS.md'), results())

function results(): string {
  const { dependencies } = JSON.parse(readFileSync(join(HERE, '../../package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const named = (name: string) => `${name} ${dependencies[name]}`
  const goals = reports.flatMap((report) => report.goals ?? [])
  const about = [
    `- ${new Date().toISOString()}, written by \`npm run bench\``,
    `- ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()} ${arch()}`,
    `- Node ${process.version}, ${['better-sqlite3', 'undici', 'fastify'].map(named).join(', ')}`,
    `- ${goals.length - missed.length} of ${goals.length} goals met`,
  ]
  return `${['# Results', about.join('\n'), ...reports.map(show)].join('\n\n')}\n`
}
