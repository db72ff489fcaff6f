import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { cause, type Log } from '../../kernel/log.ts'
import { parseMail, type ParsedMail } from './eml.ts'

interface KeptMail extends ParsedMail {
  readonly id: string
  readonly receivedAtMs: number
}

/** A mail server that delivers nothing: it stores emails as `.eml` files. */
export interface MailSandbox {
  /** Starts to listen on loopback, once. @returns the port. An email belongs to the user who signed in. */
  port(): Promise<number>
  /** Newest first. */
  list(owner: string, page: { readonly beforeId: string | null; readonly limit: number }): Promise<readonly KeptMail[]>
  close(): Promise<void>
}

interface MailSandboxDeps {
  readonly log: Log
  /** `outbox` in the home folder. */
  readonly folder: string
  readonly newId: () => string
  readonly now: () => number
  /** The password that clients must use. */
  readonly password: string
}

const LARGEST_BYTES = 10 * 1024 * 1024
const OWNER = /^[0-9a-f-]{36}$/
const KEPT_AT_MOST = 500
const NAME = /^(?<id>mail_[0-9A-Z]{26})-(?<at>\d+)\.eml$/

export function createMailSandbox({ log, folder, newId, now, password }: MailSandboxDeps): MailSandbox {
  let opened: Promise<{ port: number; close: () => Promise<void> }> | undefined

  async function open() {
    // Loaded for the first email.
    const { SMTPServer } = await import('smtp-server')
    const server = new SMTPServer({
      authMethods: ['PLAIN', 'LOGIN'],
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: LARGEST_BYTES,
      onAuth({ username = '', password: given }, _session, done) {
        const isKnown = given === password && OWNER.test(username)
        done(isKnown ? null : new Error('The mail sandbox does not know this user.'), { user: username })
      },
      onData(stream, { user }, done) {
        // Everybody signed in before.
        keep(String(user), stream).then(
          () => done(),
          (error: unknown) => {
            log.error({ event: 'simulator.failed', simulator: 'mail', cause: cause(error) })
            done(new Error('The mail could not be stored.'))
          },
        )
      },
    })
    server.on('error', (error) => log.warn({ event: 'simulator.failed', simulator: 'mail', cause: cause(error) }))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    return {
      port,
      close: () =>
        new Promise<void>((resolve) => {
          server.close(resolve)
        }),
    }
  }

  async function keep(owner: string, stream: Readable): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of stream) parts.push(part as Buffer)
    const own = join(folder, owner)
    await mkdir(own, { recursive: true, mode: 0o700 })
    const path = join(own, `${newId()}-${now()}.eml`)
    // Renamed once complete, so that no partial email is shown.
    await writeFile(`${path}.part`, Buffer.concat(parts), { mode: 0o600 })
    await rename(`${path}.part`, path)
    for (const old of (await namesOf(owner)).slice(KEPT_AT_MOST)) await rm(join(own, old), { force: true })
  }

  async function namesOf(owner: string): Promise<string[]> {
    const names = await readdir(join(folder, owner)).catch(() => [])
    return names.filter((name) => NAME.test(name)).toSorted((a, b) => (a < b ? 1 : -1))
  }

  return {
    port: async () => (await (opened ??= open())).port,
    async list(owner, { beforeId, limit }) {
      if (!OWNER.test(owner)) return []
      const names = (await namesOf(owner)).filter((name) => beforeId === null || name < beforeId)
      return Promise.all(
        names.slice(0, limit).map(async (name) => {
          const { id = '', at = '' } = NAME.exec(name)?.groups ?? {}
          return { id, receivedAtMs: Number(at), ...parseMail(await readFile(join(folder, owner, name))) }
        }),
      )
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
