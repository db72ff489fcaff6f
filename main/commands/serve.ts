import type { Clock } from '../kernel/clock.ts'
import { startService, type Service, type World } from '../service.ts'
import { consoleLine } from './console.ts'
import { CommandError, type Terminal } from './terminal.ts'

/**
 * Serves until it is told to stop; then finishes what is in flight. @returns the exit code.
 * @param because completes “runs without its window because …”, where a window was expected.
 */
export async function serveCommand(
  argv: readonly string[],
  world: World,
  terminal: Terminal,
  because?: string,
): Promise<number> {
  const unknown = argv.filter((word) => word !== '--json')
  if (unknown.length > 0)
    throw new CommandError(`serve does not know ${unknown.join(' ')}. It takes settings (see the README) and --json.`)
  const service = await startService(world)
  // Before anybody can read that it listens: whoever does may say stop at once.
  const told = toldToStop(world.clock)
  for (const warning of service.warnings) terminal.err(`Warning: ${warning}`)
  if (because !== undefined) terminal.err(`Switchboard runs without its window because ${because}.`)
  announce(service, world.config.home, argv.includes('--json'), terminal)
  await told
  return closeInTime(service, world.clock, terminal)
}

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
function toldToStop(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let toldAtMono: number | undefined
    const hear = () => {
      if (toldAtMono !== undefined && clock.mono() - toldAtMono > SAME_SIGNAL_MS) process.exit(1)
      toldAtMono ??= clock.mono()
      resolve()
    }
    process.on('SIGINT', hear).on('SIGTERM', hear)
  })
}

const LOOK_EVERY_MS = 20
/** A little more than requests and deliveries under way are given to finish. */
const LONGEST_CLOSE_MS = 5_800

/** No timer of the product keeps a process alive, and its sockets close first: this does, until everything is on disk. */
async function closeInTime(service: Service, clock: Clock, terminal: Terminal): Promise<number> {
  const deadlineMono = clock.mono() + LONGEST_CLOSE_MS
  const closed = service.close().then(() => true)
  while (!(await Promise.race([closed, clock.sleep(LOOK_EVERY_MS).then(() => false)]))) {
    if (clock.mono() < deadlineMono) continue
    terminal.err('Switchboard did not finish in time. Nothing is lost: the next start takes up what was under way.')
    process.exit(1)
  }
  return 0
}
