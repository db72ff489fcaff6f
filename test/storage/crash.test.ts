import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startChild, startChildWithFileLimit } from '../support/child.ts'
import { tempFolder } from '../support/database.ts'

let dir: string
let file: string

beforeEach(() => {
  dir = tempFolder()
  file = join(dir, 'switchboard.db')
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

const runUntilKilled = async (lines: number): Promise<number[]> => {
  const child = startChild(join(import.meta.dirname, 'committing-child.ts'), file)
  await child.hasWritten(lines)
  await child.kill()
  return child.lines.map(Number)
}

const stored = () => {
  const connection = new Database(file)
  try {
    expect(connection.pragma('quick_check', { simple: true })).toBe('ok')
    return {
      notes: connection.prepare<[], number>('SELECT seq FROM notes ORDER BY seq').pluck().all(),
      replies: connection.prepare<[], number>('SELECT seq FROM replies ORDER BY seq').pluck().all(),
      reserved: connection.prepare<[], number>(`SELECT value FROM counters WHERE name = 'messages'`).pluck().get() ?? 0,
    }
  } finally {
    connection.close()
  }
}

test('kill -9 loses no acknowledged write, leaves no partial one, and repeats no sequence number', async () => {
  const acknowledged: number[] = []
  for (const lines of [150, 400, 1_300]) {
    const before = acknowledged.length === 0 ? 0 : stored().reserved
    const numbers = await runUntilKilled(lines)
    acknowledged.push(...numbers)

    const { notes, replies, reserved } = stored()
    const kept = new Set(notes)
    expect(acknowledged.filter((seq) => !kept.has(seq))).toEqual([])
    expect(replies).toEqual(notes)
    expect(Math.min(...numbers)).toBeGreaterThan(before)
    expect(Math.max(...notes)).toBeLessThanOrEqual(reserved)
  }
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
})

test.skipIf(process.platform === 'win32')(
  'C-10 an I/O error rejects the whole group, nothing is committed after it, and earlier commits are there after reopening',
  async () => {
    const child = startChildWithFileLimit(2_048, join(import.meta.dirname, 'failing-disk-child.ts'), file)
    expect(await child.ended()).toBe(0)

    const { acknowledged, kinds, kindAfter, readable } = JSON.parse(child.lines[0]!)
    expect(kinds).toEqual(Array.from({ length: 16 }, () => 'unknown'))
    expect(acknowledged.length).toBeGreaterThan(16)
    expect([kindAfter, readable]).toEqual(['read_only', acknowledged.length])
    expect(stored().notes).toEqual(acknowledged)
  },
)
