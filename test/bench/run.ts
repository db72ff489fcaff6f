import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { show, type Report } from './lib/report.ts'
import { merged, section } from './lib/results.ts'

/**
 * `npm run bench -- pages` runs that program and prints its tables. `npm run bench` runs all programs at full size,
 * with an hour under load, and stores each result in RESULTS.md; `npm run bench -- --keep pages` does this for one
 * program. The environment can change the sizes: ROUNDS, SECONDS, DELIVERIES, ROWS, LINES, MINUTES, RIVALS=none. The
 * exit code is 0 only if every goal is met.
 */
type Program = () => Promise<readonly Report[]>

// Programs are loaded only when they run, because loading them reads their sizes and, for some, locates the built
// service.
const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  'accept-sends': async () => (await import('./accept-sends.ts')).acceptSends,
  campaigns: async () => (await import('./campaigns.ts')).campaigns,
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
  lines: async () => (await import('./lines.ts')).lines,
  memory: async () => (await import('./memory.ts')).memory,
}
const FULL = { ROWS: '5000000', MINUTES: '60' } as const
const HERE = import.meta.dirname

const { values, positionals: chosen } = parseArgs({ allowPositionals: true, options: { keep: { type: 'boolean' } } })
const unknown = chosen.filter((name) => !(name in PROGRAMS))
if (unknown.length > 0) {
  console.error(`There is no program ${unknown.join(', ')}. There are: ${Object.keys(PROGRAMS).join(', ')}.`)
  process.exit(2)
}
const isKept = values.keep ?? chosen.length === 0
if (isKept) Object.assign(process.env, { ...FULL, ...process.env })
execFileSync(process.execPath, [join(HERE, '../../resources/run.mjs'), 'build'], { stdio: 'inherit' })

const reports: Report[] = []
for (const [name, load] of Object.entries(PROGRAMS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const program = await load()
  const found = await program()
  for (const report of found) console.log(`\n${show(report)}`)
  reports.push(...found)
  if (isKept) keep(section(name, found))
}
if (reports.flatMap(({ goals = [] }) => goals).some(({ isMet }) => !isMet)) process.exitCode = 1

function keep(measured: string): void {
  const file = join(HERE, 'RESULTS.md')
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  writeFileSync(file, merged(before, [measured], Object.keys(PROGRAMS)))
}
