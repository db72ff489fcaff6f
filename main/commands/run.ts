import { join } from 'node:path'
import { ConfigError, processEnvironment, type Config } from '../config.ts'
import { ApiError } from '../contract/errors.ts'
import { askRunningService, CommandRefused, controlAddress, type ControlRequest } from '../faces/control.ts'
import { systemClock } from '../kernel/clock.ts'
import { cause } from '../kernel/log.ts'
import { settingsOf, worldOf } from '../machine.ts'
import { HomeInUse, openForCommands, StartError, type World } from '../service.ts'
import type { ServiceFacts } from '../service/doctor/run-doctor.ts'
import { carryOutClosed } from '../service/closed-home.ts'
import { findIntactBackupIn } from '../service/home.ts'
import { BACKUP_USAGE, backupCommand } from './backup.ts'
import { MCP_USAGE } from './bridge/usage.ts'
import { CONSOLE_USAGE, consoleCommand } from './console.ts'
import { DOCTOR_USAGE, doctorCommand } from './doctor.ts'
import { KEYS_USAGE, keysCommand } from './keys.ts'
import { MOVE_USAGE, moveCommand } from './move.ts'
import { RESTORE_USAGE, restoreCommand } from './restore.ts'
import { serveCommand } from './serve.ts'
import { electronPackage } from './start/electron-package.ts'
import { openWindow } from './start/open-window.ts'
import { CommandError, surviveOutputErrors, systemTerminal, type Terminal } from './terminal.ts'

const USAGE = `Usage: npm start                                      the desktop app, or only the service if there is no display
       npm run serve -- [--port N] [--home DIR] [--json]
       npm run keys -- create|list|revoke …
       npm run backup                                 backs up the database
       npm run restore [-- NAME --yes]                lists the backups, or restores one
       npm run doctor                                 checks for problems
       npm run move -- in|out …                       moves a WhatsApp session here, or to another Switchboard
       npm run console                                prints a new link to the console of the running service
       npm run --silent mcp -- [--url URL]            connects assistants that use stdio
       npm run demo                                   runs an end-to-end demo in a temporary home
See the README for all settings.`

const USAGE_OF: Readonly<Record<string, string>> = {
  keys: KEYS_USAGE,
  backup: BACKUP_USAGE,
  restore: RESTORE_USAGE,
  doctor: DOCTOR_USAGE,
  move: MOVE_USAGE,
  mcp: MCP_USAGE,
  console: CONSOLE_USAGE,
}

/**
 * Runs one command. @returns its exit code.
 * @param entry the built file that runs now.
 * @param terminal where it prints.
 */
export async function runCommand(
  command: string,
  argv: readonly string[],
  { entry, terminal = systemTerminal }: { entry: string; terminal?: Terminal },
): Promise<number> {
  // Files written here contain messages, keys and secrets, so only this user may read them.
  process.umask(0o077)
  surviveOutputErrors()
  try {
    return await dispatch(command, argv, entry, terminal)
  } catch (error) {
    terminal.err(isForPeople(error) ? error.message : unexpected(command, error))
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
    case 'move':
      return move(argv, terminal)
    case 'console':
      return openConsole(argv, terminal)
    case 'mcp':
      return mcp(argv, terminal)
    default:
      throw new CommandError(USAGE)
  }
}

/** @param because why there is no window, if one was expected. */
function serve(argv: readonly string[], entry: string, terminal: Terminal, because?: string): Promise<number> {
  const newWorld = () => {
    const { config } = settingsOf(argv)
    return worldOf(config, config.logLevel, join(entry, '..', '..', 'renderer'))
  }
  return serveCommand(settingsOf(argv).rest, newWorld, terminal, because)
}

/** Opens the window, or runs the service without it and says why. */
async function start(argv: readonly string[], entry: string, terminal: Terminal): Promise<number> {
  const words = argv.filter((word) => word !== '--headless')
  if (words.length < argv.length) return serve(words, entry, terminal, 'of --headless')
  // Report invalid settings on the terminal instead of in a window that closes immediately.
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

/** Reading the keys of thousands of conversations takes long. */
const MOVE_MS = 120_000

async function move(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { rest, config } = settingsOf(argv)
  await moveCommand(rest, (request) => askRunningService(addressOf(config), request, MOVE_MS), terminal, systemClock)
  return 0
}

type HomeCommand = (
  argv: readonly string[],
  execute: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
  newestWhole: () => ReturnType<typeof findIntactBackupIn>,
) => Promise<void>

/** A command for the running service, or for this process if none is running. */
async function runOnHome(argv: readonly string[], command: HomeCommand, terminal: Terminal): Promise<number> {
  const { rest, config } = settingsOf(argv)
  const world = commandWorld(config)
  const newestWhole = () => findIntactBackupIn(config.home, world.clock.now())
  await command(rest, (request) => carryOut(world, request, terminal), terminal, newestWhole)
  return 0
}

/** Commands print answers for people, so they log errors only. */
const commandWorld = (config: Config) => worldOf(config, config.logLevel === 'silent' ? 'silent' : 'error')

async function doctor(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { rest, config } = settingsOf(argv)
  const world = commandWorld(config)
  // Imported on demand to keep other commands fast.
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
  // Imported on demand: the service needs no MCP client.
  const { mcpCommand } = await import('./bridge.ts')
  await mcpCommand(argv, processEnvironment(), terminal)
  return 0
}

/** How long to wait for a home held by a starting service, which may upgrade its database, or another command. */
const HOME_WAIT_MS = 60_000
const LOOK_EVERY_MS = 50
/** Commands that copy or check a large database take longer. */
const TIMEOUT_OF: Readonly<Record<string, number>> = { 'backup.create': 120_000, 'restore.stage': 120_000 }

/** Runs a request in the running service, or opens the home folder for it if none is running. */
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
  const closed = await carryOutClosed(world, request)
  if (closed !== undefined) return closed.result
  const home = await openForCommands(world)
  for (const warning of home.warnings) terminal.err(`Warning: ${warning}`)
  try {
    return await home.carryOut(request)
  } finally {
    await home.close()
  }
}

const FOR_PEOPLE = [CommandError, CommandRefused, ConfigError, StartError, ApiError]

/** Errors whose message is written for the user. */
const isForPeople = (error: unknown): error is Error => FOR_PEOPLE.some((kind) => error instanceof kind)

/** Prints no stack trace unless we have to investigate. */
function unexpected(command: string, error: unknown): string {
  const { message, stack = message } = cause(error)
  if (processEnvironment()['SWITCHBOARD_LOG_LEVEL'] === 'debug') return stack
  return `${command} failed: ${message}. To see where, repeat it with SWITCHBOARD_LOG_LEVEL=debug.`
}
