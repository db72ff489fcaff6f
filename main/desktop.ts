import { join } from 'node:path'
import { processEnvironment } from './config.ts'
import { settingsOf, worldOf } from './machine.ts'
import { startService } from './service.ts'
import { isLink } from './shell/deep-link.ts'
import { runDesktop } from './shell/desktop-app.ts'
import { HIDDEN } from './shell/login-item.ts'
import { forkUtilityProcess, startUtilityProcess } from './shell/utility-process.ts'

// Under Electron this file is out/main/desktop.js, in the project and inside the package alike.
const out = join(import.meta.dirname, '..')
// Chromium's own words may stand before the entry; a packaged app has no entry among its words.
const entryAt = process.argv.findIndex((word) => word.endsWith('desktop.js'))
const argv = process.argv.slice(Math.max(entryAt, 0) + 1)

/** Words of a start that are no settings: Chromium's own, a link, and where the window begins. */
const isSetting = (word: string) => !isLink(word) && word !== '--no-sandbox' && word !== HIDDEN

// Not awaited: Electron is ready only after this module has run to its end.
void runDesktop({
  argv,
  environment: processEnvironment(),
  preload: join(out, 'preload', 'index.cjs'),
  resources: join(out, '..', 'resources'),
  renderer: join(out, 'renderer'),
  // There is no update channel yet. With one, the public half of its key stands here (see shell/update-signature.ts).
  updateKey: null,
  async startService(restart) {
    process.umask(0o077)
    const { config } = settingsOf(argv.filter(isSetting))
    const world = worldOf(config, config.logLevel, join(out, 'renderer'), startUtilityProcess, forkUtilityProcess)
    return {
      service: await startService({ ...world, restart, isInteractive: true }),
      home: config.home,
      log: world.log,
    }
  },
})
