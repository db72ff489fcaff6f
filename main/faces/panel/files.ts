import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { CONSOLE_CSP } from './csp.ts'

interface ConsoleFile {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

export interface ConsoleFiles {
  /** Whether the console was built. */
  readonly isThere: boolean
  /** @param path relative to the console's root, decoded once; '' is the page. */
  find(path: string): Promise<ConsoleFile | undefined>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/**
 * The files of the built window. Only files found at start are served, by name: no path is built from a request, so
 * path traversal is impossible.
 */
export function createConsoleFiles(folder: string | null): ConsoleFiles {
  const files = folder === null || !existsSync(folder) ? new Map<string, string>() : filesIn(folder)
  return {
    isThere: files.has('index.html'),
    async find(path) {
      const name = path === '' ? 'index.html' : path
      const file = files.get(name)
      return file === undefined ? undefined : { headers: headersOf(name), bytes: await readFile(file) }
    },
  }
}

function filesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile() && Object.hasOwn(TYPES, extname(entry.name)))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).replaceAll(sep, '/'), file]),
  )
}

/** The name of an asset contains a hash of its content; the page's name does not. */
const headersOf = (name: string): Record<string, string> => ({
  'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
  'content-security-policy': CONSOLE_CSP,
  'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
})
