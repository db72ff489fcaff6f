import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DemoFailure } from './report.ts'

export interface ServiceProcess {
  readonly url: string
  /** Runs another command of the product on the same home folder and reads its JSON answer. */
  command(...args: string[]): Promise<Record<string, unknown>>
  /** The warnings and logs so far. */
  said(): string
  /** Stops the service and removes its home folder. Calling it again returns the same result. */
  stop(): Promise<'ended' | 'had failed'>
}

/**
 * Starts the real service in a separate process with a temporary home, like `npm run serve -- --json`.
 * @param entry the built headless entry.
 */
export async function startServiceProcess(entry: string, environment: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const home = temporaryHome()
  const run = (...args: string[]) =>
    spawn(process.execPath, [entry, ...args, '--home', home], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const service = run('serve', '--port', '0', '--json')
  const said = collect(service)
  const exited = once(service, 'exit')
  const stop = async () => {
    service.kill('SIGTERM')
    await exited
    rmSync(home, { recursive: true, force: true })
    return service.exitCode === 0 ? 'ended' : 'had failed'
  }
  const first = await firstLine(service)
  if (first === undefined) {
    await stop()
    throw new DemoFailure(`it ended before it listened: ${await said.atTheEnd()}`)
  }
  const { url } = JSON.parse(first) as { url: string }
  return {
    url,
    said: said.soFar,
    stop,
    async command(...args) {
      const child = run(...args, '--json')
      const problems = collect(child)
      const line = await firstLine(child)
      if (line === undefined) throw new DemoFailure(`${args.slice(0, 2).join(' ')}: ${await problems.atTheEnd()}`)
      return JSON.parse(line) as Record<string, unknown>
    },
  }
}

function temporaryHome(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'switchboard-demo-'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new DemoFailure(`no temporary folder can be made: ${why}. TMPDIR names the place for them.`)
  }
}

/** Collects what a process prints on standard error. */
function collect(child: ChildProcess) {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  const closed = once(child, 'close')
  return { soFar: () => text, atTheEnd: () => closed.then(() => text.trim()) }
}

/** The first line that a process prints; undefined if it ends without printing one. */
async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined
  for await (const line of createInterface({ input: child.stdout })) return line
  return undefined
}
