import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { acceptSends } from './accept-sends.ts'
import { pages } from './pages.ts'

const PROGRAMS: Readonly<Record<string, () => Promise<void>>> = { 'accept-sends': acceptSends, pages }

/** `npm run bench`: every program prints its table. `npm run bench -- pages`: only that one. */
const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !(name in PROGRAMS))
if (unknown.length > 0) {
  console.error(`There is no program ${unknown.join(', ')}. There are: ${Object.keys(PROGRAMS).join(', ')}.`)
  process.exit(2)
}
execFileSync(process.execPath, [join(import.meta.dirname, '../../resources/run.mjs'), 'build'], { stdio: 'inherit' })
for (const [name, program] of Object.entries(PROGRAMS)) {
  if (chosen.length === 0 || chosen.includes(name)) await program()
}
