import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

interface Wanted {
  /** As people call it. */
  readonly title: string
  /** Its possible file names, the best first. */
  readonly names: readonly string[]
  /** Names its program where it lies somewhere else. */
  readonly variable: string
  /** What brings it on Debian. */
  readonly packages: readonly string[]
}

/** Where systems put programs, also when PATH is short. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/bin', '/usr/bin']

/**
 * A program of the machine: where its variable says, where systems put it, or installed through apt when this is root.
 * @throws a sentence that says what to install: a test without its program is a failure, never skipped.
 */
export function programPath(wanted: Wanted): string {
  const { title, variable, packages } = wanted
  const named = process.env[variable]
  if (named !== undefined) {
    if (existsSync(named)) return named
    throw new Error(`${variable} names ${named}, which does not exist. Correct it, or leave it out.`)
  }
  const found = find(wanted) ?? (install(packages), find(wanted))
  if (found !== undefined) return found
  throw new Error(
    `These tests need ${title}. Install it (apt-get install ${packages.join(' ')}), or set ${variable} to its program.`,
  )
}

const find = ({ names }: Wanted) =>
  names.flatMap((name) => FOLDERS.map((folder) => join(folder, name))).find((place) => isProgram(place))

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** One at a time: two test files may miss something at once, and apt refuses the second. */
function install(packages: readonly string[]): void {
  if (process.getuid?.() !== 0) return
  const lock = join(tmpdir(), 'switchboard-test-apt.lock')
  const apt = (...args: string[]) => execFileSync('flock', [lock, 'apt-get', ...args], { stdio: 'ignore' })
  try {
    apt('update')
    apt('install', '-y', '--no-install-recommends', ...packages)
  } catch {
    // Said by the caller, once, whatever the reason.
  }
}
