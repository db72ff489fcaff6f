import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { pause, testHome, type TestHome } from '../support/service-process.ts'

/** Names of the keys in an intact database, each with whether it is revoked. */
function keysIn(file: string): Record<string, boolean> {
  const database = new Database(file, { readonly: true })
  try {
    expect(database.pragma('integrity_check', { simple: true }), file).toBe('ok')
    const rows = database.prepare('SELECT name, revoked_at FROM api_keys').all() as {
      name: string
      revoked_at: unknown
    }[]
    return Object.fromEntries(rows.map(({ name, revoked_at }) => [name, revoked_at !== null]))
  } finally {
    database.close()
  }
}

/** Where the restore of a home is, seen from outside. */
const POINTS: Readonly<Record<string, (home: string, inode: number) => boolean>> = {
  'it has begun to save the present state': (home) =>
    readdirSync(join(home, 'backups')).some((name) => name.includes('before-restore')),
  'the present state is saved': (home) => requestIn(home).includes('safety_copy'),
  'the database is replaced': (home, inode) =>
    (statSync(join(home, 'switchboard.db'), { throwIfNoEntry: false })?.ino ?? inode) !== inode,
}

const requestIn = (home: string): string =>
  existsSync(join(home, 'restore.json')) ? readFileSync(join(home, 'restore.json'), 'utf8') : ''

const ATTEMPTS = 5

/** Starts the restore three times, and kills it each time it is at this point. @returns whether a kill was in time. */
async function killRestore(home: TestHome, point: string): Promise<boolean> {
  const file = join(home.dir, 'switchboard.db')
  const [name = ''] = readdirSync(join(home.dir, 'backups'))
  let isInTime = false
  for (let round = 0; round < 3; round++) {
    if (round === 0) writeFileSync(join(home.dir, 'restore.json'), JSON.stringify({ name, asked_at_ms: Date.now() }))
    const inode = statSync(file).ino
    const service = home.launch()
    service.listening.catch(() => {})
    const state = { isOver: false }
    void service.ended.then(() => (state.isOver = true))
    while (!state.isOver && requestIn(home.dir) !== '' && POINTS[point]?.(home.dir, inode) !== true) await pause(1)
    isInTime ||= requestIn(home.dir) !== ''
    await service.end('SIGKILL')
    // Whole at every moment, and either of the one state or of the other.
    const keys = keysIn(file)
    expect(keys).toEqual(
      'After' in keys ? { Before: false, Leaked: true, After: false } : { Before: false, Leaked: true },
    )
  }
  return isInTime
}

/** A home whose restore was killed before it was over. Some restores are over sooner than they can be looked at. */
async function homeKilledAt(point: string): Promise<TestHome> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const home = testHome()
    onTestFinished(() => home.remove())
    await home.key('Before')
    const { id } = await home.key('Leaked')
    await home.command('backup')
    await home.key('After')
    expect((await home.command('keys', 'revoke', id)).code).toBe(0)
    if (await killRestore(home, point)) return home
  }
  throw new Error(`each of ${ATTEMPTS} restores was over before it could be killed`)
}

test.each(Object.keys(POINTS))(
  'D-14 after a restore killed when %s, the next start finishes it and names the copy of the previous state',
  async (point) => {
    const home = await homeKilledAt(point)
    const last = await home.start()
    expect((await fetch(`${last.url}/healthz`)).status).toBe(200)
    await last.end('SIGTERM')
    expect(keysIn(join(home.dir, 'switchboard.db'))).toEqual({ Before: false, Leaked: true })
    expect(requestIn(home.dir)).toBe('')
    const saved = readdirSync(join(home.dir, 'backups')).filter((one) => one.includes('before-restore'))
    expect(saved.map((one) => keysIn(join(home.dir, 'backups', one)))).toEqual([
      { Before: false, Leaked: true, After: false },
    ])
  },
)
