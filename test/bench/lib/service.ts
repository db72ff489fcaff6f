import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { NODE_FLAGS } from '../../support/node-flags.ts'
import { startProgram, type Started } from './processes.ts'

/** The built service, as users get it. */
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

/** @param more further settings and environment variables of Node. */
export async function startService(home: string, more: Record<string, string> = {}): Promise<Service> {
  const args = ['serve', '--port', '0', '--json', '--home', home]
  const program = await startProgram(ENTRY, args, { ...ENVIRONMENT, ...more }, NODE_FLAGS)
  return { program, url: String(program.ready['url']) }
}

export type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

/** Calls the service with this key. Rejects if the answer is not successful. */
export function callerOf(url: string, key: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
}

/** Creates a key with every scope for the home's account. The service may be running or not. */
export function createKey(home: string): string {
  const args = [ENTRY, 'keys', 'create', '--name', 'bench', '--json', '--home', home]
  const made = execFileSync(process.execPath, args, { encoding: 'utf8' })
  return (JSON.parse(made) as { key: string }).key
}
