import { join, resolve } from 'node:path'
import { _electron } from 'playwright-core'
import { electronPackage } from '../../../main/commands/start/electron-package.ts'
import type { Desktop, HostSide, Wish } from './launch.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Electron's executable, where it is installed and can show a window. */
export function electronBinary(): string | undefined {
  const { DISPLAY, WAYLAND_DISPLAY, ELECTRON_OVERRIDE_DIST_PATH } = process.env
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return undefined
  return electronPackage(join(ROOT, 'node_modules/electron'), ELECTRON_OVERRIDE_DIST_PATH).executable()
}

/** The built desktop app in Electron itself. */
export async function launchElectron(
  executablePath: string,
  { home, profile, argv = [], environment }: Omit<Wish, 'packaged'>,
): Promise<Desktop> {
  const { ELECTRON_RUN_AS_NODE: _asNode, ...inherited } = process.env
  // Chromium refuses to run as root with its sandbox on.
  const unconfined = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const electron = await _electron.launch({
    executablePath,
    args: [...unconfined, join(ROOT, 'out/main/desktop.js'), ...['--home', home, '--port', '0', ...argv]],
    env: {
      ...defined(inherited),
      // Where Electron on Linux keeps what is not the home's: two apps of one profile are one instance.
      XDG_CONFIG_HOME: profile,
      SWITCHBOARD_VAULT: 'file',
      SWITCHBOARD_LOG_LEVEL: 'warn',
      ...environment,
    },
  })
  const child = electron.process()
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const exited = new Promise<number | null>((done) => {
    if (child.exitCode === null) child.once('exit', (code) => done(code))
    else done(child.exitCode)
  })
  return {
    host: 'electron',
    exited,
    said: [],
    errors: () => errors,
    firstWindow: () => electron.firstWindow(),
    // What only the stand-in has is not there; tests for both hosts do not reach for it.
    evaluate: <T, G>(act: (electron: HostSide, given: G) => T, given?: G) =>
      electron.evaluate<Awaited<T>, G>(act as never, given as never),
    async close() {
      await electron.evaluate(({ app }: Pick<HostSide, 'app'>) => app.quit()).catch(() => {})
      return exited
    },
  }
}

const defined = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
