import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

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

interface Computer {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly canRun?: (file: string) => boolean
}

/** The person's own Chrome, or a browser made of the same. @returns undefined where none is installed. */
export function findInstalledBrowser({ platform, environment, canRun = isExecutable }: Computer): string | undefined {
  const { PATH = '', HOME = '' } = environment
  const candidates =
    platform === 'darwin'
      ? MAC_APPS.flatMap((name) =>
          ['/Applications', join(HOME, 'Applications')].map((folder) =>
            join(folder, `${name}.app`, 'Contents', 'MacOS', name),
          ),
        )
      : LINUX_NAMES.flatMap((name) =>
          PATH.split(delimiter)
            .filter(Boolean)
            .map((folder) => join(folder, name)),
        )
  return candidates.find(canRun)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
