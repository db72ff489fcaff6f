import { join } from 'node:path'
import { processEnvironment } from './config.ts'
import { settingsOf, worldOf } from './machine.ts'
import { startService } from './service.ts'
import { isLink } from './shell/deep-link.ts'
import { runDesktop } from './shell/desktop-app.ts'
import { HIDDEN } from './shell/login-item.ts'
import { forkUtilityProcess, startUtilityProcess } from './shell/utility-process.ts'

// Under Electron this file is out/main/desktop.js, both in the project and in the package.
const out = join(import.meta.dirname, '..')
// Chromium's own arguments may come before the entry; a packaged app has no entry argument.
const entryAt = process.argv.findIndex((word) => word.endsWith('desktop.js'))
const argv = process.argv.slice(Math.max(entryAt, 0) + 1)

/** Arguments that are not settings: Chromium's own, a link, and the initial window state. */
const isSetting = (word: string) => !isLink(word) && word !== '--no-sandbox' && word !== HIDDEN

// Not awaited: Electron is ready only after this module has finished.
void runDesktop({
  argv,
  environment: processEnvironment(),
  preload: join(out, 'preload', 'index.cjs'),
  resources: join(out, '..', 'resources'),
  renderer: join(out, 'renderer'),
  // There is no update channel yet. It will need the public key here (see shell/update-signature.ts).
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
