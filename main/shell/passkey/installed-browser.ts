import { accessSync, constants } from 'node:fs'
import { posix, win32 } from 'node:path'

const MAC_APPS = ['Google Chrome', 'Microsoft Edge', 'Brave Browser', 'Chromium']
const LINUX_NAMES = [
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
  'chromium',
  'chromium-browser',
]

export type InstalledBrowser =
  | { readonly kind: 'program'; readonly executable: string }
  /** On macOS. `open` replaces the system's command in tests. */
  | { readonly kind: 'app'; readonly app: string; readonly open?: string }

/** Relative to the program folders. */
const WINDOWS_PROGRAMS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'BraveSoftware\\Brave-Browser\\Application\\brave.exe',
]
const WINDOWS_FOLDERS = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA']

export interface Computer {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly canRun?: (file: string) => boolean
}

/** The person's own Chrome or another Chromium browser. @returns undefined if none is installed. */
export function findInstalledBrowser({
  platform,
  environment,
  canRun = isExecutable,
}: Computer): InstalledBrowser | undefined {
  const { PATH = '', HOME = '' } = environment
  if (platform === 'darwin') {
    const { join } = posix
    const apps = MAC_APPS.flatMap((name) =>
      ['/Applications', join(HOME, 'Applications')].map((folder) => ({ name, app: join(folder, `${name}.app`) })),
    )
    const found = apps.find(({ name, app }) => canRun(join(app, 'Contents', 'MacOS', name)))
    return found && { kind: 'app', app: found.app }
  }
  const programs =
    platform === 'win32'
      ? below(
          WINDOWS_PROGRAMS,
          WINDOWS_FOLDERS.map((name) => environment[name]),
          win32.join,
        )
      : below(LINUX_NAMES, PATH.split(posix.delimiter), posix.join)
  const executable = programs.find(canRun)
  return executable === undefined ? undefined : { kind: 'program', executable }
}

const below = (
  names: readonly string[],
  folders: readonly (string | undefined)[],
  join: (folder: string, name: string) => string,
): readonly string[] => names.flatMap((name) => folders.flatMap((folder) => (folder ? [join(folder, name)] : [])))

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
