import { homedir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, processEnvironment, readConfig, readTextFile, settingFlags, type Config } from '../config.ts'
import { askRunningService, controlAddress, type ControlRequest } from '../faces/control.ts'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/ids.ts'
import { createLog } from '../kernel/log.ts'
import { openForCommands, StartError, type World } from '../service.ts'
import { keysCommand } from './keys.ts'
import { serveCommand } from './serve.ts'
import { CommandError, systemTerminal, type Terminal } from './terminal.ts'

const USAGE = `Usage: node out/main/headless.js serve [--port N] [--home DIR] [--json]
       node out/main/headless.js keys create|list|revoke …
       node out/main/headless.js demo`

/**
 * One command of the product, from its arguments to its exit code.
 * @param entry the built file that runs now; the demo starts it again as a process of its own.
 */
export async function runCommand(
  command: string,
  argv: readonly string[],
  { entry }: { entry: string },
): Promise<number> {
  const terminal = systemTerminal
  try {
    return await dispatch(command, argv, entry, terminal)
  } catch (error) {
    if (!isForPeople(error)) throw error
    terminal.err(error.message)
    return 1
  }
}

async function dispatch(command: string, argv: readonly string[], entry: string, terminal: Terminal): Promise<number> {
  const { settings, rest } = settingFlags(argv)
  if (command === 'demo') return demo(entry, terminal)
  const config = readConfig({
    argv: settings,
    env: processEnvironment(),
    platform: process.platform,
    homedir: homedir(),
    readFile: readTextFile,
  })
  const world: World = { clock: systemClock, random: systemRandom, config, log: createLog(config.logLevel) }
  switch (command) {
    case 'start':
      terminal.err('Switchboard runs headless: this version has no window yet.')
      return serveCommand(rest, world, terminal)
    case 'serve':
      return serveCommand(rest, world, terminal)
    case 'keys':
      await keysCommand(rest, (request) => carryOut(config, world, request), terminal)
      return 0
    default:
      throw new CommandError(USAGE)
  }
}

async function demo(entry: string, terminal: Terminal): Promise<number> {
  // Loaded only here: nothing else needs to read pictures.
  const { runDemo } = await import('./demo/demo.ts')
  const held = await runDemo({
    entry: join(entry, '..', 'headless.js'),
    environment: processEnvironment(),
    clock: systemClock,
    terminal,
  })
  return held ? 0 : 1
}

/** The running service carries it out; where none runs, the home folder is opened for this one command. */
async function carryOut(config: Config, world: World, request: ControlRequest): Promise<unknown> {
  const asked = await askRunningService(controlAddress(config.home, process.platform), request)
  if (asked !== undefined) return asked.result
  const home = await openForCommands(world)
  try {
    return await home.carryOut(request)
  } finally {
    await home.close()
  }
}

/** Errors whose message is a sentence for the person at the terminal; anything else shows its stack. */
function isForPeople(error: unknown): error is Error {
  return error instanceof CommandError || error instanceof ConfigError || error instanceof StartError
}
