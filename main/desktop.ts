import { join } from 'node:path'
import { runDesktop } from './shell/desktop-app.ts'

// Under Electron the entry is out/main/desktop.js, in the project and inside the package alike.
const out = join(import.meta.dirname, '..')

await runDesktop({
  argv: process.argv.slice(process.defaultApp ? 2 : 1),
  preload: join(out, 'preload', 'index.cjs'),
  renderer: join(out, 'renderer'),
  resources: join(out, '..', 'resources'),
})
