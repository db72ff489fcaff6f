import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import { exitProcess } from '../kernel/process-exit.ts'
import { startService, type Service, type World } from '../service.ts'
import { consoleLine } from './console.ts'
import { CommandError, type Terminal } from './terminal.ts'

/**
 * Serves until it is told to stop; then finishes what is in flight. Asked to from the window, it starts again, with the
 * settings as they are then. @returns the exit code.
 * @param newWorld reads the settings.
 * @param because completes “runs without its window because …”, where a window was expected.
 */
export async function serveCommand(
  argv: readonly string[],
  newWorld: () => World,
  terminal: Terminal,
  because?: string,
): Promise<number> {
  const unknown = argv.filter((word) => word !== '--json')
  if (unknown.length > 0)
    throw new CommandError(`serve does not know ${unknown.join(' ')}. It takes settings (see the README) and --json.`)
  let stop: Promise<'stop'> | undefined
  for (let port: number | undefined; ;) {
    const world = newWorld()
    const { promise: again, resolve: restart } = Promise.withResolvers<'again'>()
    const service = await startWithRetries(
      { ...world, config: keepPort(world.config, port), restart: () => restart('again') },
      port === undefined ? 1 : RESTART_ATTEMPTS,
    )
    // Before anybody can read that it listens: whoever does may say stop at once.
    stop ??= waitForStopSignal(world.clock)
    for (const warning of service.warnings) terminal.err(`Warning: ${warning}`)
    if (because !== undefined) terminal.err(`Switchboard runs without its window because ${because}.`)
    announce(service, world.config.home, argv.includes('--json'), terminal)
    const next = await Promise.race([stop, again])
    const code = await closeWithTimeout(service, world.clock, terminal)
    if (next === 'stop') return code
    port = Number(new URL(service.url).port)
  }
}

/** A disk that failed may need a moment, and one that was mounted anew as well. */
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

/** Where any port will do it is the one it had: whoever has the window open finds it again. */
const keepPort = (config: Config, port: number | undefined): Config =>
  port !== undefined && config.port === 0 ? { ...config, port } : config

function announce(service: Service, home: string, json: boolean, terminal: Terminal): void {
  const { url } = service
  const consoleUrl = service.newConsoleAddress()
  if (json) return terminal.out(JSON.stringify({ event: 'listening', url, console_url: consoleUrl }))
  terminal.out(`Switchboard listens at ${url}. Its home folder is ${home}. Ctrl+C stops it.`)
  if (consoleUrl !== null) terminal.out(consoleLine(consoleUrl))
}

/** npm hands a Ctrl+C on that the terminal has sent to all: what follows at once is the same one. */
const SAME_SIGNAL_MS = 1_000

/** Resolves at the first SIGINT or SIGTERM. A person who asks once more does not want to wait. */
function waitForStopSignal(clock: Clock): Promise<'stop'> {
  return new Promise((resolve) => {
    let toldAtMono: number | undefined
    const hear = () => {
      if (toldAtMono !== undefined && clock.mono() - toldAtMono > SAME_SIGNAL_MS) exitProcess(1)
      toldAtMono ??= clock.mono()
      resolve('stop')
    }
    process.on('SIGINT', hear).on('SIGTERM', hear)
  })
}

const LOOK_EVERY_MS = 20
/** A little more than requests and deliveries under way are given to finish. */
const MAX_CLOSE_MS = 5_800

/** No timer of the product keeps a process alive, and its sockets close first: this does, until everything is on disk. */
async function closeWithTimeout(service: Service, clock: Clock, terminal: Terminal): Promise<number> {
  const deadlineMono = clock.mono() + MAX_CLOSE_MS
  const closed = service.close().then(() => true)
  while (!(await Promise.race([closed, clock.sleep(LOOK_EVERY_MS).then(() => false)]))) {
    if (clock.mono() < deadlineMono) continue
    terminal.err('Switchboard did not finish in time. Nothing is lost: the next start takes up what was under way.')
    exitProcess(1)
  }
  return 0
}
