import { LIMITS } from '../contract/limits.ts'
import type { ControlRequest } from '../faces/control.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const CONSOLE_USAGE = `Usage: npm run console -- [--json]
       Prints an address that opens the console in a browser, once. The service must be running.`

/** Prints a fresh address of the console. @param ask undefined when no service runs in this home folder. */
export async function consoleCommand(
  argv: readonly string[],
  ask: (request: ControlRequest) => Promise<{ result: unknown } | undefined>,
  terminal: Terminal,
): Promise<void> {
  const unknown = argv.filter((word) => word !== '--json')
  if (unknown.length > 0) throw new CommandError(`console does not know ${unknown.join(' ')}.\n${CONSOLE_USAGE}`)
  const answer = await ask({ command: 'console.address', input: {} })
  if (answer === undefined)
    throw new CommandError('Switchboard does not run with this home folder. Start it with npm start, which prints it.')
  const { console_url: url } = answer.result as { console_url: string | null }
  if (url === null) throw new CommandError('The running service was built without its console.')
  if (argv.includes('--json')) return terminal.out(JSON.stringify({ console_url: url }))
  terminal.out(consoleLine(url))
}

export const consoleLine = (url: string): string =>
  `Open the console: ${url}\nThe address signs in once, within ${LIMITS.signInCodeMinutes} minutes; npm run console prints another.`
