import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell', '/usr/bin/google-chrome']

/** A real Chromium: where CHROMIUM_PATH says, where systems put it, or installed through apt when this is root. */
export function browserPath(): string {
  const named = process.env['CHROMIUM_PATH']
  if (named !== undefined) {
    if (existsSync(named)) return named
    throw new Error(`CHROMIUM_PATH names ${named}, which does not exist. Correct it, or leave it out.`)
  }
  const found = PLACES.find((place) => existsSync(place))
  if (found !== undefined) return found
  try {
    if (process.getuid?.() === 0) {
      execFileSync('apt-get', ['update'], { stdio: 'ignore' })
      execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], {
        stdio: 'ignore',
      })
    }
  } catch {
    // Said below, once, whatever the reason.
  }
  const installed = PLACES.find((place) => existsSync(place))
  if (installed !== undefined) return installed
  throw new Error(
    'These tests need Chromium. Install it (apt-get install chromium), or set CHROMIUM_PATH to its program.',
  )
}
