import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillHome, type FullHome } from './full-home.ts'
import { createKey } from './service.ts'

/** The home of a large agency after years of use, with an API key. */
interface LargeHome extends FullHome {
  readonly home: string
  readonly key: string
}

let made: LargeHome | undefined

/** Filled once for all programs of a run; removed when the run ends. */
export function largeHome(): LargeHome {
  if (made) return made
  const home = mkdtempSync(join(tmpdir(), 'bench-large-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  // Without this setting, each start would begin with a backup of several gigabytes, which takes longer than the
  // measurement.
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ backups: 'off' }))
  const key = createKey(home)
  return (made = { home, key, ...fillHome(home, key, Date.now()) })
}
