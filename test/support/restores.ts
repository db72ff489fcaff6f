import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { asConsole } from './console.ts'
import { tempFolder } from './database.ts'
import { worldOfTest, type World } from './world.ts'

/** The home of a service that is started several times in a test. */
export const newHome = (): string => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** @returns the name of a new backup. */
export async function backUp(w: World): Promise<string> {
  const { body } = await asConsole(w)('POST', '/v1/service/backups')
  await w.clock.advance(5_000)
  return body.file.split(/[\\/]/).at(-1)
}

/** How the state of the backup comes back. */
export const WAYS = {
  async 'a person restores it'(w: World, name: string) {
    const staged = await asConsole(w)('POST', `/v1/service/backups/${name}/restore?confirm=true`)
    expect(staged.status, JSON.stringify(staged.body)).toBe(202)
    await w.close()
  },
  async 'the database is damaged'(w: World, _name: string) {
    await w.close()
    for (const rest of ['', '-wal', '-shm']) rmSync(join(w.home, `switchboard.db${rest}`), { force: true })
    writeFileSync(join(w.home, 'switchboard.db'), 'x'.repeat(65_536))
  },
} as const

let starts = 1

/**
 * @param laterMs how long the service is down; negative: the clock was set back meanwhile.
 * @returns the service after it, which gives out other ids.
 */
export async function goBack(w: World, name: string, way: keyof typeof WAYS, laterMs = 0): Promise<World> {
  await WAYS[way](w, name)
  if (laterMs < 0) w.clock.set(w.clock.now() + laterMs)
  else await w.clock.advance(laterMs)
  const after = await worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed: ++starts })
  if (way === 'a person restores it')
    expect((await asConsole(after)('GET', '/v1/service/backups')).body.restored).toMatchObject({ name, problem: null })
  return after
}
