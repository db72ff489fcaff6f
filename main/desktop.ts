import { join } from 'node:path'
import { settingsOf, worldOf } from './machine.ts'
import { startService } from './service.ts'
import { runDesktop } from './shell/desktop-app.ts'

// Under Electron this file is out/main/desktop.js, in the project and inside the package alike.
const out = join(import.meta.dirname, '..')
const argv = process.argv.slice(process.defaultApp ? 2 : 1)

// Not awaited: Electron is ready only after this module has run to its end.
void runDesktop({
  argv,
  preload: join(out, 'preload', 'index.cjs'),
  resources: join(out, '..', 'resources'),
  renderer: join(out, 'renderer'),
  async startService() {
    process.umask(0o077)
    // Chromium adds words of its own, and a deep link is no setting.
    const { config } = settingsOf(argv.filter((word) => !word.startsWith('switchboard://') && word !== '--no-sandbox'))
    const world = worldOf(config, config.logLevel, join(out, 'renderer'))
    return { service: await startService(world), home: config.home, log: world.log }
  },
})
