import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SIZES } from './lib/full-home.ts'
import { largeHome } from './lib/large-home.ts'
import { startProgram, type Started } from './lib/processes.ts'
import { goal, type Report } from './lib/report.ts'
import { inRounds } from './lib/rounds.ts'
import { createKey, startService } from './lib/service.ts'
import { median } from './lib/table.ts'

/**
 * The time from the start of the process until it listens, compared with a bare Fastify with one route. After a clean
 * shutdown, a large database is not checked; after a crash, all of it is checked first.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const GOAL_MS = 1_500

export async function startUp(): Promise<Report[]> {
  const empty = mkdtempSync(join(tmpdir(), 'bench-start-'))
  try {
    createKey(empty)
    const { home } = largeHome()
    const bare = () =>
      startProgram(join(import.meta.dirname, 'reference/read-server.ts'), ['key', '{"/":{"ok":true}}'], {})
    const startIn = async (folder: string) => (await startService(folder)).program
    const large = `Switchboard with ${SIZES.deliveries.toLocaleString('en-US')} deliveries`
    // The program that filled the database did not close it as the service does, so the service is started and
    // stopped once.
    await (await startIn(home)).stop()
    const all: Program[] = [
      { name: 'bare Fastify', start: bare, times: [] },
      { name: 'Switchboard, new', start: async () => startIn(empty), times: [] },
      { name: large, start: async () => startIn(home), times: [] },
      {
        name: `${large}, after kill -9`,
        before: async () => (await startIn(home)).kill(),
        start: async () => startIn(home),
        times: [],
      },
    ]
    await inRounds(ROUNDS, all, async ({ before, start, times }) => {
      await before?.()
      times.push(await timeOf(start))
    })
    return [
      {
        title: `Start-up, ${ROUNDS} rounds`,
        rows: all.map(({ name, times }) => ({
          program: name,
          'median ms': median(times),
          'worst ms': Math.max(...times),
        })),
        goals: [goal('start with the large database', median(all[2]?.times ?? []), 'below', GOAL_MS, 'ms')],
      },
    ]
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
}

interface Program {
  readonly name: string
  readonly before?: () => Promise<void>
  readonly start: () => Promise<Started>
  readonly times: number[]
}

async function timeOf(start: () => Promise<Started>): Promise<number> {
  const begun = performance.now()
  const program = await start()
  const ms = performance.now() - begun
  await program.stop()
  return ms
}
