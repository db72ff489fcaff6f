import { join } from 'node:path'
import { ConfigError, processEnvironment, type Config } from '../config.ts'
import { ApiError } from '../contract/errors.ts'
import { askRunningService, CommandRefused, controlAddress, type ControlRequest } from '../faces/control.ts'
import { systemClock } from '../kernel/clock.ts'
import { settingsOf, worldOf } from '../machine.ts'
import { HomeInUse, openForCommands, StartError, type World } from '../service.ts'
import type { ServiceFacts } from '../service/doctor/run-doctor.ts'
import { findIntactBackupIn } from '../service/home.ts'
import { BACKUP_USAGE, backupCommand } from './backup.ts'
import { MCP_USAGE } from './bridge/usage.ts'
import { CONSOLE_USAGE, consoleCommand } from './console.ts'
import { DOCTOR_USAGE, doctorCommand } from './doctor.ts'
import { KEYS_USAGE, keysCommand } from './keys.ts'
import { RESTORE_USAGE, restoreCommand } from './restore.ts'
import { serveCommand } from './serve.ts'
import { electronPackage } from './start/electron-package.ts'
import { openWindow } from './start/open-window.ts'
import { CommandError, systemTerminal, type Terminal } from './terminal.ts'

const USAGE = `Usage: npm start                                      the desktop app; without a display, the service alone
       npm run serve -- [--port N] [--home DIR] [--json]
       npm run keys -- create|list|revoke …
       npm run backup                                 copies the database, and checks the copy
       npm run restore [-- NAME --yes]                lists the backups; goes back to one
       npm run doctor                                 what Switchboard stands on, and what is wrong with it
       npm run console                                a new address of the console, while the service runs
       npm run --silent mcp -- [--url URL]            bridge for assistants that only speak stdio
       npm run demo                                   the main job, end to end, in a temporary home
The README lists every setting.`

const USAGE_OF: Readonly<Record<string, string>> = {
  keys: KEYS_USAGE,
  backup: BACKUP_USAGE,
  restore: RESTORE_USAGE,
  doctor: DOCTOR_USAGE,
  mcp: MCP_USAGE,
  console: CONSOLE_USAGE,
}

/**
 * One command of the product, from its arguments to its exit code.
 * @param entry the built file that runs now; the demo starts it again as a process of its own.
 * @param terminal where it prints.
 */
export async function runCommand(
  command: string,
  argv: readonly string[],
  { entry, terminal = systemTerminal }: { entry: string; terminal?: Terminal },
): Promise<number> {
  // Messages, keys and secrets lie in what is written here: for this user alone, also in a folder open to others.
  process.umask(0o077)
  try {
    return await dispatch(command, argv, entry, terminal)
  } catch (error) {
    if (!isForPeople(error)) throw error
    terminal.err(error.message)
    return 1
  }
}

async function dispatch(command: string, argv: readonly string[], entry: string, terminal: Terminal): Promise<number> {
  if ([command, ...argv].some((word) => word === '--help' || word === '-h')) {
    terminal.out(USAGE_OF[command] ?? USAGE)
    return 0
  }
  switch (command) {
    case 'start':
      return start(argv, entry, terminal)
    case 'serve':
      return serve(argv, entry, terminal)
    case 'keys':
      return runOnHome(argv, keysCommand, terminal)
    case 'backup':
      return runOnHome(argv, backupCommand, terminal)
    case 'restore':
      return runOnHome(argv, restoreCommand, terminal)
    case 'doctor':
      return doctor(argv, terminal)
    case 'console':
      return openConsole(argv, terminal)
    case 'mcp':
      return mcp(argv, terminal)
    case 'demo':
      return demo(argv, entry, terminal)
    default:
      throw new CommandError(USAGE)
  }
}

/** @param because why there is no window, where somebody expected one. */
function serve(argv: readonly string[], entry: string, terminal: Terminal, because?: string): Promise<number> {
  const newWorld = () => {
    const { config } = settingsOf(argv)
    return worldOf(config, config.logLevel, join(entry, '..', '..', 'renderer'))
  }
  return serveCommand(settingsOf(argv).rest, newWorld, terminal, because)
}

/** The window if it can open here, else the same service without it, and one line that says why. */
async function start(argv: readonly string[], entry: string, terminal: Terminal): Promise<number> {
  const words = argv.filter((word) => word !== '--headless')
  if (words.length < argv.length) return serve(words, entry, terminal, 'it was asked for with --headless')
  // What is wrong with the settings is said here, and not by a window that opens and closes.
  settingsOf(words)
  const environment = processEnvironment()
  const out = join(entry, '..', '..')
  const opened = await openWindow({
    platform: process.platform,
    environment,
    uid: process.getuid?.(),
    electron: electronPackage(join(out, '..', 'node_modules', 'electron'), environment['ELECTRON_OVERRIDE_DIST_PATH']),
    entry: join(out, 'main', 'desktop.js'),
    argv: words,
    clock: systemClock,
    say: (line) => terminal.err(line),
  })
  switch (opened.kind) {
    case 'ended':
      return opened.exitCode
    case 'already-open':
      terminal.out('Switchboard is already open.')
      return 0
    case 'none':
      return serve(words, entry, terminal, opened.reason)
  }
}

async function openConsole(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { rest, config } = settingsOf(argv)
  await consoleCommand(rest, (request) => askRunningService(addressOf(config), request), terminal)
  return 0
}

type HomeCommand = (
  argv: readonly string[],
  execute: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
  newestWhole: () => ReturnType<typeof findIntactBackupIn>,
) => Promise<void>

/** A command that the running service carries out, or this process where none runs. */
async function runOnHome(argv: readonly string[], command: HomeCommand, terminal: Terminal): Promise<number> {
  const { rest, config } = settingsOf(argv)
  const world = commandWorld(config)
  const newestWhole = () => findIntactBackupIn(config.home, world.clock.now())
  await command(rest, (request) => carryOut(world, request, terminal), terminal, newestWhole)
  return 0
}

/** The answer of a command is for a person; what a service would note in its log is not. */
const commandWorld = (config: Config) => worldOf(config, config.logLevel === 'silent' ? 'silent' : 'error')

async function doctor(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { rest, config } = settingsOf(argv)
  const world = commandWorld(config)
  // Loaded only here: nothing else looks at everything.
  const { runDoctor } = await import('../service/doctor/run-doctor.ts')
  return doctorCommand(
    rest,
    async (isOffline) => {
      const asked = await askRunningService(addressOf(config), { command: 'doctor.facts', input: {} })
      return runDoctor(world, (asked?.result ?? null) as ServiceFacts | null, { isOffline })
    },
    terminal,
  )
}

const addressOf = ({ home }: Config) => controlAddress(home, process.platform)

async function mcp(argv: readonly string[], terminal: Terminal): Promise<number> {
  // Loaded only here: a client of the protocol is nothing the service needs.
  const { mcpCommand } = await import('./bridge.ts')
  await mcpCommand(argv, processEnvironment(), terminal)
  return 0
}

async function demo(argv: readonly string[], entry: string, terminal: Terminal): Promise<number> {
  if (argv.length > 0) throw new CommandError(`demo takes no arguments, and got ${argv.join(' ')}.`)
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

/** How long a home may be taken by a service that does not listen yet, or by another command. */
const HOME_WAIT_MS = 10_000
const LOOK_EVERY_MS = 50
/** Where the usual patience is too short: copying a large database, and looking through a copy, take their time. */
const TIMEOUT_OF: Readonly<Record<string, number>> = { 'backup.create': 120_000, 'restore.stage': 120_000 }

/** The running service carries it out; where none runs, the home folder is opened for this one command. */
async function carryOut(world: World, request: ControlRequest, terminal: Terminal): Promise<unknown> {
  const { clock, config } = world
  const deadlineMono = clock.mono() + HOME_WAIT_MS
  for (;;) {
    const asked = await askRunningService(addressOf(config), request, TIMEOUT_OF[request.command])
    if (asked !== undefined) return asked.result
    try {
      return await executeHere(world, request, terminal)
    } catch (error) {
      if (!(error instanceof HomeInUse) || clock.mono() > deadlineMono) throw error
    }
    await clock.sleep(LOOK_EVERY_MS)
  }
}

async function executeHere(world: World, request: ControlRequest, terminal: Terminal): Promise<unknown> {
  const home = await openForCommands(world)
  for (const warning of home.warnings) terminal.err(`Warning: ${warning}`)
  try {
    return await home.carryOut(request)
  } finally {
    await home.close()
  }
}

const FOR_PEOPLE = [CommandError, CommandRefused, ConfigError, StartError, ApiError]

/** Errors whose message is a sentence for the person at the terminal; anything else shows its stack. */
const isForPeople = (error: unknown): error is Error => FOR_PEOPLE.some((kind) => error instanceof kind)
