import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The npm package `electron`: scripts and types; the binary comes from its publisher at the first start. */
export interface ElectronPackage {
  /** Node runs it to fetch the binary. */
  readonly installer: string
  /** The executable, if it is completely installed. Called again after fetching. */
  executable(): string | undefined
}

/**
 * Never `require('electron')` here: without a binary it would download, block, and fail with a misleading error.
 * `path.txt` is written last, so an interrupted extraction counts as not installed.
 * @param folder `node_modules/electron`. @param replaced ELECTRON_OVERRIDE_DIST_PATH: then the version is not
 * compared.
 */
export function electronPackage(folder: string, replaced: string | undefined): ElectronPackage {
  return {
    installer: join(folder, 'install.js'),
    executable() {
      const name = textOf(join(folder, 'path.txt'))
      if (replaced !== undefined) return present(join(replaced, name ?? 'electron'))
      if (name === undefined || textOf(join(folder, 'dist', 'version')) !== versionOf(folder)) return undefined
      return present(join(folder, 'dist', name))
    },
  }
}

const present = (file: string) => (existsSync(file) ? file : undefined)

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

function versionOf(folder: string): string | undefined {
  const manifest = textOf(join(folder, 'package.json'))
  return manifest === undefined ? undefined : (JSON.parse(manifest) as { version?: string }).version
}
