import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../judges/court.ts'
import { inherited } from '../support/service-process.ts'
import { goal, show } from './lib/report.ts'
import { merged, section } from './lib/results.ts'

/** Sizes at which a number says nothing, but every program goes its whole way. */
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
  RIVALS: 'none',
}

/** The window has its own tests in a browser; BullMQ and pg-boss need servers of theirs. */
const TABLES = {
  'accept-sends': ['Accepted sends', 'Switchboard'],
  reads: ['Reads', '/v1/me: Switchboard'],
  mcp: ['MCP calls', 'tools/call get_me'],
  enqueue: ['Enqueueing', 'Batched pipeline on SQLite'],
  deliveries: ['Deliveries over TLS, 64 in flight', 'Switchboard'],
  pages: ['Pages: 50 of 1,000 instances', 'deliveries, pending'],
  'start-up': ['Start-up', 'Switchboard with 10,000 deliveries'],
  claims: ['Claims of 4 among 10,000 deliveries', 'one UPDATE that takes a lease'],
  disk: ['Bytes on disk', 'attempt of a delivery'],
  'idle-lines': ['Idle live lines', '0'],
  memory: ['Resident memory', 'idle, new'],
}

test('every program goes its way and prints its table', { timeout: 180_000 }, async () => {
  const args = [join(import.meta.dirname, 'run.ts'), ...Object.keys(TABLES)]
  const cwd = resolve(import.meta.dirname, '../..')
  const { code, out, err } = await run(process.execPath, args, { cwd, env: { ...inherited, ...TINY }, seconds: 170 })
  // 1 says that a goal was missed, as it must be with BullMQ left out.
  expect(code, `${out}\n${err}`).toBe(1)
  for (const [title, row] of Object.values(TABLES)) {
    expect(out).toContain(`### ${title}`)
    expect(out).toContain(`| ${row}`)
  }
  expect(out).not.toMatch(/NaN(?! \|)/)
})

test('a goal is met at its limit or not, as its words say, and never by what was not measured', () => {
  expect(goal('rate', 0.7, 'at least', 0.7).isMet).toBe(true)
  expect(goal('rate', 0.69, 'at least', 0.7).isMet).toBe(false)
  expect(goal('CPU', 0.4, 'at most', 0.4).isMet).toBe(true)
  expect(goal('p99', 20, 'below', 20, 'ms').isMet).toBe(false)
  expect(goal('rate', Number.NaN, 'at least', 2)).toMatchObject({ isMet: false, measured: 'not measured' })
})

test('a report is a table, then what was met and missed, then what one must know', () => {
  const goals = [goal('p99', 12.345, 'below', 20, 'ms'), goal('rate', 0.5, 'at least', 2)]
  const shown = show({ title: 'Pages', rows: [{ page: 'first', ms: 12.345 }], goals, notes: ['A note.'] })
  expect(shown).toBe(
    [
      '### Pages',
      '',
      '| page  |   ms |',
      '|-------|-----:|',
      '| first | 12.3 |',
      '',
      '- met: p99: below 20 ms (12.3 ms)',
      '- MISSED: rate: at least 2 (0.5)',
      '',
      'A note.',
    ].join('\n'),
  )
})

test('what is kept of one program stands beside what others had measured before', () => {
  const order = ['reads', 'pages']
  const report = (title: string, measured: number) => ({ title, rows: [], goals: [goal('p99', measured, 'below', 20)] })
  const first = merged('', [section('pages', [report('Old', 30)]), section('reads', [report('Reads', 1)])], order)
  expect(first).toContain('1 of 2 goals met')
  const second = merged(first, [section('pages', [report('New', 10)])], order)
  expect(second).toContain('2 of 2 goals met')
  expect(second.match(/^##+ .*$/gm)).toEqual(['## reads', '### Reads', '## pages', '### New'])
  expect(merged(second, [], ['pages'])).not.toContain('Reads')
})
