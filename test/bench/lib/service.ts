import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { startProgram, type Started } from './processes.ts'

/** The built service, as it is shipped. */
const ENTRY = join(import.meta.dirname, '../../../out/main/headless.js')

const ENVIRONMENT = {
  SWITCHBOARD_VAULT: 'file',
  SWITCHBOARD_RATE_LIMIT_PER_MINUTE: '1000000',
  SWITCHBOARD_LOG_LEVEL: 'warn',
}

export interface Service {
  readonly program: Started
  readonly url: string
}

export async function startService(home: string): Promise<Service> {
  const program = await startProgram(ENTRY, ['serve', '--port', '0', '--json', '--home', home], ENVIRONMENT)
  return { program, url: String(program.ready['url']) }
}

/** A key of the home's account with every scope; the service may run or not. */
export function createKey(home: string): string {
  const args = [ENTRY, 'keys', 'create', '--name', 'bench', '--json', '--home', home]
  const made = execFileSync(process.execPath, args, { encoding: 'utf8' })
  return (JSON.parse(made) as { key: string }).key
}
