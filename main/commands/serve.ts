import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import { exitProcess } from '../kernel/process-exit.ts'
import { startService, type Service, type World } from '../service.ts'
import { closeInTime } from '../service/shutdown.ts'
import { JSON_OPTION, parseArguments } from './arguments.ts'
import { consoleLine } from './console.ts'
import type { Terminal } from './terminal.ts'

/**
 * Serves until stopped, then finishes work in progress. A restart requested in the window reads the settings again.
 * @returns the exit code.
 * @param newWorld reads the settings.
 * @param because completes “Running without a window because …”, if a window was expected.
 */
export async function serveCommand(
  argv: readonly string[],
  newWorld: () => World,
  terminal: Terminal,
  because?: string,
): Promise<number> {
  const usage = 'serve takes settings (see the README) and --json.'
  const { json } = parseArguments(argv, { usage, options: JSON_OPTION })
  let stop: Promise<'stop'> | undefined
  for (let port: number | undefined; ;) {
    const world = newWorld()
    const { promise: again, resolve: restart } = Promise.withResolvers<'again'>()
    const service = await startWithRetries(
      { ...world, config: keepPort(world.config, port), restart: () => restart('again') },
      port === undefined ? 1 : RESTART_ATTEMPTS,
    )
    // Before announcing the address: a reader may send a stop signal immediately.
    stop ??= waitForStopSignal(world.clock)
    for (const warning of service.warnings) terminal.err(`Warning: ${warning}`)
    if (because !== undefined) terminal.err(`Running without a window because ${because}.`)
    announce(service, world.config.home, json, terminal)
    const next = await Promise.race([stop, again])
    const shutdown = await (next === 'stop'
      ? closeInTime(service, world.clock)
      : closeInTime(service, world.clock, BEFORE_RESTART_MS))
    if (shutdown === 'not_saved') terminal.err(NOT_CLOSED)
    // Unfinished work would keep the process running, and must not run beside a restarted service.
    if (shutdown !== 'in_order') exitProcess(shutdown === 'cut_short' && next === 'stop' ? 0 : 1)
    if (next === 'stop') return 0
    port = Number(new URL(service.url).port)
  }
}

/** Time limit before a restart; a process manager does not kill the process during it. */
const BEFORE_RESTART_MS = 30_000
const NOT_CLOSED =
  'Switchboard could not close its database in time. Nothing is lost: unfinished work resumes on the next start.'

/** A failing or remounted disk may need a moment. */
const RESTART_ATTEMPTS = 5
const BETWEEN_STARTS_MS = 2_000

async function startWithRetries(world: World, tries: number): Promise<Service> {
  try {
    return await startService(world)
  } catch (error) {
    if (tries <= 1) throw error
    await world.clock.sleep(BETWEEN_STARTS_MS)
    return startWithRetries(world, tries - 1)
  }
}

/** With port 0, a restart keeps its port so that open consoles reconnect. */
const keepPort = (config: Config, port: number | undefined): Config =>
  port !== undefined && config.port === 0 ? { ...config, port } : config

function announce(service: Service, home: string, json: boolean, terminal: Terminal): void {
  const { url } = service
  const consoleUrl = service.newConsoleAddress()
  if (json) return terminal.out(JSON.stringify({ event: 'listening', url, console_url: consoleUrl }))
  terminal.out(`Switchboard is running at ${url}. Home folder: ${home}. Press Ctrl+C to stop.`)
  if (consoleUrl !== null) terminal.out(consoleLine(consoleUrl))
}

/** npm forwards the Ctrl+C that the terminal already sent to every process, so one key press arrives twice. */
const SAME_SIGNAL_MS = 1_000

/** Resolves at the first SIGINT or SIGTERM. A second one exits immediately. */
function waitForStopSignal(clock: Clock): Promise<'stop'> {
  return new Promise((resolve) => {
    let firstSignalMono: number | undefined
    const onSignal = () => {
      if (firstSignalMono !== undefined && clock.mono() - firstSignalMono > SAME_SIGNAL_MS) exitProcess(1)
      firstSignalMono ??= clock.mono()
      resolve('stop')
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  })
}
