import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlRequest } from '../faces/control.ts'
import type { Clock } from '../kernel/clock.ts'
import { parseArguments } from './arguments.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const MOVE_USAGE = `Usage: npm run move -- in --instance ID --from FOLDER --yes
       npm run move -- in --instance ID --from FILE --passphrase-file FILE --yes
       npm run move -- out --instance ID --to FILE --passphrase-file FILE --yes
       in:  moves a WhatsApp session to an instance without a new scan: the session folder of a Baileys-based server,
            or an export of another Switchboard. Turn the other server off first.
       out: disconnects an instance and writes its session to FILE, encrypted with the passphrase (12 characters or more).
       Switchboard must be running.`

const OPTIONS = {
  instance: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  'passphrase-file': { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const

/** A running server writes to its folder with every message. */
const QUIET_MS = 120_000

/** @param ask resolves to undefined if no service runs in this home folder. */
export async function moveCommand(
  argv: readonly string[],
  ask: (request: ControlRequest) => Promise<{ result: unknown } | undefined>,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const flags = parseArguments(argv, { usage: MOVE_USAGE, options: OPTIONS, words: 1 })
  const { instance, from, to, yes, words } = flags
  const passphrase = passphraseIn(flags['passphrase-file'])
  const request = async (command: string, input: object) => {
    const answer = await ask({ command, input: { instance, ...input } })
    if (answer === undefined)
      throw new CommandError(
        'Switchboard is not running in this home folder. Start it with npm start or npm run serve.',
      )
    return answer.result
  }
  const [direction] = words
  if (instance === undefined) throw new CommandError(MOVE_USAGE)
  if (direction === 'in' && from !== undefined) {
    const upload = uploadOf(from, passphrase, clock.now())
    if (!yes)
      throw new CommandError(
        'Turn the other server off: two that use one session disconnect each other. Then repeat the command with --yes.',
      )
    const { phone_number: number } = (await request('session.import', { upload })) as { phone_number: string }
    return terminal.out(`The session of ${number} was moved. The instance is connecting.`)
  }
  if (direction === 'out' && to !== undefined && passphrase !== undefined) {
    if (!yes) throw new CommandError('This disconnects the instance. To confirm, repeat the command with --yes.')
    await writeExport(to, async () => {
      const { session } = (await request('session.export', { passphrase })) as { session: string }
      return session
    })
    return terminal.out(`The instance is disconnected. Its session is in ${to}: import it, then delete the file.`)
  }
  throw new CommandError(MOVE_USAGE)
}

/** Creates the file first: an instance must not be disconnected for an export that cannot be stored. */
async function writeExport(to: string, exportSession: () => Promise<string>): Promise<void> {
  const file = createFile(to)
  let isDisconnected = false
  try {
    const session = await exportSession()
    isDisconnected = true
    writeFileSync(file, session)
    fsyncSync(file)
  } catch (error) {
    rmSync(to, { force: true })
    if (!isDisconnected) throw error
    throw new CommandError(
      `The instance is disconnected, but its session could not be written to ${to}: ${(error as Error).message}. ` +
        'The session is still in Switchboard: repeat the command, or restart the instance to keep it here.',
    )
  } finally {
    closeSync(file)
  }
}

/** Never overwrites a file: an existing export may be the only copy of its session. */
function createFile(to: string): number {
  try {
    return openSync(to, 'wx', 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? `${to} already exists.` : `${to} could not be created: ${message}.`
    throw new CommandError(`${reason} Choose another file. Nothing was changed.`)
  }
}

const passphraseIn = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : read(file).replace(/\r?\n$/, '')

function uploadOf(from: string, passphrase: string | undefined, nowMs: number): string {
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    if (passphrase === undefined) throw new CommandError('An export needs its passphrase. Add --passphrase-file FILE.')
    return `${JSON.stringify({ passphrase })}\n${read(from)}`
  }
  const names = readdirSync(from).filter((name) => name.endsWith('.json'))
  const newestMs = Math.max(...names.map((name) => statSync(join(from, name)).mtimeMs))
  if (nowMs - newestMs < QUIET_MS)
    throw new CommandError(
      'The folder was changed within the last two minutes, so the other server seems to be running. Turn it off, wait two minutes, and repeat the command.',
    )
  return names.map((name) => JSON.stringify({ name, content: read(join(from, name)) })).join('\n')
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`${file} could not be read: ${(error as Error).message}`)
  }
}
