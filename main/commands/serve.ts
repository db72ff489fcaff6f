import { once } from 'node:events'
import { startService, type World } from '../service.ts'
import { CommandError, type Terminal } from './terminal.ts'

/** Serves until it is told to stop; then finishes what is in flight. @returns the exit code. */
export async function serveCommand(argv: readonly string[], world: World, terminal: Terminal): Promise<number> {
  const unknown = argv.filter((word) => word !== '--json')
  if (unknown.length > 0)
    throw new CommandError(`serve does not know ${unknown.join(' ')}. It takes settings (see the README) and --json.`)
  const service = await startService(world)
  for (const warning of service.warnings) terminal.err(`Warning: ${warning}`)
  if (argv.includes('--json')) terminal.out(JSON.stringify({ event: 'listening', url: service.url, console_url: null }))
  else terminal.out(`Switchboard listens at ${service.url}. Its home folder is ${world.config.home}. Ctrl+C stops it.`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await service.close()
  return 0
}
