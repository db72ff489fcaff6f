import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillHome, type FullHome } from './full-home.ts'
import { createKey } from './service.ts'

/** A home of a large agency after years, and a key of it. */
interface LargeHome extends FullHome {
  readonly home: string
  readonly key: string
}

let made: LargeHome | undefined

/** Filled once, for all programs of a run that ask for it; removed when the run ends. */
export function largeHome(): LargeHome {
  if (made) return made
  const home = mkdtempSync(join(tmpdir(), 'bench-large-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  // Each start would begin with a copy of gigabytes, which takes longer than what is measured.
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ backups: 'off' }))
  const key = createKey(home)
  return (made = { home, key, ...fillHome(home, key, Date.now()) })
}
