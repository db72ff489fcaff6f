import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../..')
const BUILDER = join(ROOT, 'node_modules/electron-builder/cli.js')

/** What Electron ships with, in its own order: so a fuse that nobody sets is seen as well. */
const FACTORY_FUSES = '101100011'
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

export interface Packaged {
  readonly folder: string
  /** Holds app.asar, as Electron’s process.resourcesPath. */
  readonly resources: string
  /** Carries the fuses; it is no program. */
  readonly binary: string
}

/**
 * What `npm run package` makes of the project for Linux, with placeholders where Electron's own files would lie: the
 * real configuration, the real app.asar, real fuses, and no download. It cannot run.
 * @param place an own folder; temporary files go there too.
 */
export async function packageApp(place: string, ...more: readonly string[]): Promise<Packaged> {
  const [electron, output, temporary] = ['electron', 'output', 'tmp'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(temporary, { recursive: true })
  placeholdersIn(electron)
  const config = [`-c.electronDist=${electron}`, `-c.directories.output=${output}`, ...more]
  await promisify(execFile)(
    process.execPath,
    [BUILDER, '--config', 'resources/electron-builder.yml', '--linux', 'dir', ...config],
    { cwd: ROOT, env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: '' } },
  ).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`electron-builder: ${stdout}${stderr}`)
  })
  const folder = join(output, 'linux-unpacked')
  return { folder, resources: join(folder, 'resources'), binary: join(folder, 'switchboard') }
}

function placeholdersIn(folder: string): void {
  mkdirSync(join(folder, 'locales'), { recursive: true })
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/electron/package.json'), 'utf8')) as {
    version: string
  }
  const wire = `${SENTINEL}\u0001${String.fromCharCode(FACTORY_FUSES.length)}${FACTORY_FUSES}`
  const files = { electron: `placeholder ${wire} end`, version }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'chrome_crashpad_handler'])
    writeFileSync(join(folder, name), name)
  writeFileSync(join(folder, 'locales', 'en-US.pak'), '')
  chmodSync(join(folder, 'electron'), 0o755)
}
