import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { checkInvariants } from '../../../main/capabilities/webhooks/index.ts'
import { readConfig } from '../../../main/config.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { systemRandom, type BootId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { openHome } from '../../../main/service/home.ts'
import type { Seen } from '../landing.ts'
import { createDisk, NOTHING_ARRIVES, type Arrival, type Disk } from './disk.ts'
import type { Acknowledged, Recording } from './recording.ts'
import { readRecorded, type Recorded } from './strace-log.ts'

const DATABASE = 'switchboard.db'
const FILES = [DATABASE, `${DATABASE}-wal`]
/** Times of two programs: the one is in microseconds, the other was rounded down to a millisecond. */
const ROUNDED_MS = 1

const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least + 1))
const any = (_sector: unknown, changes: number) => between(0, changes)

/** What may be on a disk when the power goes, beside what was synced. */
const ARRIVALS: Readonly<Record<string, () => Arrival>> = {
  'nothing that was not synced': () => NOTHING_ARRIVES,
  'the first of it': () => {
    const share = Math.random()
    return { sectorBytes: 512, of: (_sector, changes) => Math.round(share * changes) }
  },
  'any of it, by sectors': () => ({ sectorBytes: 512, of: any }),
  'any of it, by pages': () => ({ sectorBytes: 4_096, of: any }),
}

/** Cuts the power at so many moments of a recording, and opens what each leaves. @returns how often, for each kind. */
export async function cutPower(recording: Recording, seen: readonly Seen[], moments: number) {
  const recorded: Recorded[] = []
  for await (const one of readRecorded(recording.log)) recorded.push(one)
  const disk = diskBefore(recording)
  const cuts = momentsIn(recorded, moments)
  const kinds = Object.keys(ARRIVALS)
  const opened: Record<string, number> = {}
  let done = 0
  for (const [nth, cut] of cuts.entries()) {
    for (const one of recorded.slice(done, cut)) disk.note(one)
    done = cut
    const kind = kinds[nth % kinds.length] ?? ''
    const atMs = recorded[cut]?.atMs ?? 0
    const cutNow = { kind, atMs, seen: seen.filter((one) => one.atMs + ROUNDED_MS < atMs) }
    await openCopy(recording, disk, cutNow).catch((error: unknown) => {
      throw new Error(`Cut before change ${cut} of ${recorded.length}, with ${kind}: ${String(error)}`, {
        cause: error,
      })
    })
    opened[kind] = (opened[kind] ?? 0) + 1
  }
  return { opened, changes: recorded.length }
}

/** Where the power goes, as places in the list: one in four where it is the database itself that is at work, not its log. */
function momentsIn(recorded: readonly Recorded[], moments: number): number[] {
  const rare = recorded.flatMap(({ file, change }, n) => (file.endsWith('-wal') && change.kind === 'write' ? [] : [n]))
  const one = (nth: number) =>
    nth % 4 === 0 ? (rare[between(0, rare.length - 1)] ?? 0) : between(0, recorded.length - 1)
  return Array.from({ length: moments }, (_, nth) => one(nth)).toSorted((a, b) => a - b)
}

function diskBefore({ folder, before }: Recording): Disk {
  const bytes = (name: string) => (name === DATABASE ? readFileSync(join(before, name)) : null)
  return createDisk(folder, Object.fromEntries(FILES.map((name) => [join(folder, name), bytes(name)])))
}

interface Cut {
  readonly kind: string
  readonly atMs: number
  /** What receivers had seen by then. */
  readonly seen: readonly Seen[]
}

/** Opens it as the service does when the power is back. */
async function openCopy(recording: Recording, disk: Disk, { kind, atMs, seen }: Cut): Promise<void> {
  const { folder, before, acknowledged } = recording
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-copy-'))
  try {
    cpSync(before, dir, { recursive: true, filter: (path) => !basename(path).startsWith(DATABASE) })
    const arrival = ARRIVALS[kind]?.() ?? NOTHING_ARRIVES
    for (const name of FILES) {
      const image = disk.image(join(folder, name), arrival)
      if (image !== null) writeFileSync(join(dir, name), image)
    }
    const home = await openHome(
      {
        ...{ clock: systemClock, random: systemRandom, log: silentLog },
        config: readConfig({
          argv: ['--home', dir],
          env: {},
          platform: process.platform,
          homedir: dir,
          readFile: () => null,
        }),
      },
      'service',
    )
    try {
      expect(home.dataLosses()).toEqual([])
      await check(
        home.db,
        acknowledged.filter((one) => one.atMs + ROUNDED_MS < atMs),
        seen,
      )
    } finally {
      await home.close()
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function check(db: Db, acknowledged: readonly Acknowledged[], seen: readonly Seen[]): Promise<void> {
  const rows = <R extends object>(text: string) => db.read<object, R>({ text }, {})
  const ids = async (text: string) => new Set((await rows<{ id: string }>(text)).map(({ id }) => id))
  expect(await rows('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }])
  const [left] = await rows<{ lease: BootId }>("SELECT lease FROM deliveries WHERE lease > '' LIMIT 1")
  expect(await checkInvariants({ read: db.read, boot: left?.lease ?? db.boot })).toEqual([])

  const messages = await ids('SELECT id FROM messages')
  const answered = await ids("SELECT key AS id FROM idempotency_keys WHERE state = 'done'")
  const made = await ids('SELECT id FROM instances')
  const told = await ids(`SELECT s.id FROM events e JOIN subjects s ON s.seq = e.instance_seq
    JOIN deliveries d ON d.event_seq = e.seq WHERE e.type = 'instance.created'`)
  const isKept = ({ id, key }: Acknowledged) =>
    key === null ? made.has(id) && told.has(id) : messages.has(id) && answered.has(key)
  expect(acknowledged.filter((one) => !isKept(one))).toEqual([])

  const attempts = await rows<{ id: string; attempts: number }>(
    'SELECT e.event_id AS id, d.attempts FROM events e JOIN deliveries d ON d.event_seq = e.seq',
  )
  const highest = new Map(attempts.map((row) => [row.id, row.attempts]))
  const unknown = seen.filter(({ eventId, attempt }) => (highest.get(eventId) ?? 0) < attempt)
  expect(unknown.map(({ eventId, attempt }) => `${eventId} ${attempt}`)).toEqual([])
}
