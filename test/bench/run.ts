import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { acceptSends } from './accept-sends.ts'

/** `npm run bench`: every program prints its table. */
execFileSync(process.execPath, [join(import.meta.dirname, '../../resources/run.mjs'), 'build'], { stdio: 'inherit' })
await acceptSends()
