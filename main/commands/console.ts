import { LIMITS } from '../contract/limits.ts'
import type { ControlRequest } from '../faces/control.ts'
import { JSON_OPTION, parseArguments } from './arguments.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const CONSOLE_USAGE = `Usage: npm run console -- [--json]
       Prints a one-time link that opens the console in a browser. Switchboard must be running.`

/** Prints a new console link. @param ask resolves to undefined if no service runs in this home folder. */
export async function consoleCommand(
  argv: readonly string[],
  ask: (request: ControlRequest) => Promise<{ result: unknown } | undefined>,
  terminal: Terminal,
): Promise<void> {
  const { json } = parseArguments(argv, { usage: CONSOLE_USAGE, options: JSON_OPTION })
  const answer = await ask({ command: 'console.address', input: {} })
  if (answer === undefined)
    throw new CommandError('Switchboard is not running in this home folder. Start it with npm start or npm run serve.')
  const { console_url: url } = answer.result as { console_url: string | null }
  if (url === null)
    throw new CommandError(
      'The running service was built without its console. Start it again with npm run serve, which builds it.',
    )
  if (json) return terminal.out(JSON.stringify({ console_url: url }))
  terminal.out(consoleLine(url))
}

export const consoleLine = (url: string): string =>
  `Open the console: ${url}\nThis link works once, within ${LIMITS.signInCodeMinutes} minutes. For a new one, run: npm run console`
