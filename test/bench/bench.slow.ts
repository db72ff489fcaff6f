import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../judges/court.ts'
import { inherited } from '../support/service-process.ts'

/** Sizes that are too small for meaningful figures, but with which every program runs completely. */
const TINY = {
  ROUNDS: '1',
  SECONDS: '0.2',
  DELIVERIES: '200',
  IN_FLIGHT: '64',
  ROWS: '10000',
  REQUESTS: '2',
  CLAIMS: '2',
  CLAIMED: '4',
  INSTANCES: '3',
  LINES: '2',
  MINUTES: '0.02',
  CAMPAIGNS: '2',
  PEOPLE: '50',
  SLICES: '2',
  RIVALS: 'none',
}

/** The window has its own browser tests; BullMQ and pg-boss are left out because they need servers. */
const TABLES = {
  'accept-sends': ['Accepted sends', 'Switchboard'],
  campaigns: ['Campaign sends without delay', 'campaign'],
  reads: ['Reads', '/v1/me: Switchboard'],
  mcp: ['MCP calls', 'tools/call get_me'],
  enqueue: ['Enqueueing', 'Batched pipeline on SQLite'],
  deliveries: ['Deliveries over TLS, 64 in flight', 'Switchboard'],
  pages: ['Pages: 50 of 1,000 instances', 'deliveries, pending'],
  'start-up': ['Start-up', 'Switchboard with 10,000 deliveries'],
  claims: ['Claims of 4 among 10,000 deliveries', 'one UPDATE that takes a lease'],
  disk: ['Bytes on disk', 'attempt of a delivery'],
  'idle-lines': ['Idle live lines', '0'],
  lines: ['Live lines', 'Baileys alone'],
  memory: ['Resident memory', 'idle, new'],
}

test('every program runs and prints its table', { timeout: 620_000 }, async () => {
  const args = [join(import.meta.dirname, 'run.ts'), ...Object.keys(TABLES)]
  const cwd = resolve(import.meta.dirname, '../..')
  const { code, out, err } = await run(process.execPath, args, { cwd, env: { ...inherited, ...TINY }, seconds: 600 })
  // Exit code 1 means that a goal was missed, which is expected without BullMQ.
  expect(code, `${out}\n${err}`).toBe(1)
  for (const [title, row] of Object.values(TABLES)) {
    expect(out).toContain(`### ${title}`)
    expect(out).toContain(`| ${row}`)
  }
  expect(out).not.toMatch(/NaN(?! \|)/)
})
