import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bodyTypeOf } from './answers.ts'
import type { Reply, World } from './world.ts'

export const PAGE =
  '<!doctype html><title>Switchboard</title><script type="module" src="./assets/index-abc.js"></script>'

/** A window as the build would leave it, with a secret beside it that nobody may read. */
export function builtConsole(): string {
  const place = mkdtempSync(join(tmpdir(), 'switchboard-test-window-'))
  process.once('exit', () => rmSync(place, { recursive: true, force: true }))
  const folder = join(place, 'renderer')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'export {}')
  writeFileSync(join(folder, 'assets', 'inter-abc.woff2'), 'font')
  writeFileSync(join(folder, '..', 'secret.json'), '"secret"')
  return folder
}

/** The code of a fresh console address. */
export function newCode(w: Pick<World, 'service'>): string {
  const [, code = ''] = /#code=([\w-]+)$/.exec(w.service.newConsoleAddress() ?? '') ?? []
  return code
}

type Headers = Readonly<Record<string, string>>

/** A browser that shows the console's page: it sends Origin with every change, and its cookie with everything. */
export interface Browser {
  /** `name=token` once it is signed in. */
  cookie: string
  ask(method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply>
  signIn(credential: object): Promise<Reply>
}

export function browserOf(w: World): Browser {
  const own = { origin: `http://${w.host}`, 'sec-fetch-site': 'same-origin' }
  const made: Browser = {
    cookie: '',
    ask: (method, path, body, headers = {}) =>
      w.api(method, path, body, {
        key: null,
        headers: {
          ...own,
          ...(made.cookie !== '' && { cookie: made.cookie }),
          ...(method !== 'GET' && { 'content-type': bodyTypeOf(method, path.replace(/^\/panel/, '')) }),
          ...headers,
        },
      }),
    async signIn(credential) {
      const answer = await made.ask('POST', '/panel/session', credential)
      const given = (answer.headers['set-cookie'] ?? '').split(';')[0] ?? ''
      if (given !== '') made.cookie = given
      return answer
    },
  }
  return made
}

/** A browser that is signed in. */
export async function signedIn(w: World): Promise<Browser> {
  const browser = browserOf(w)
  await browser.signIn({ code: newCode(w) })
  return browser
}
