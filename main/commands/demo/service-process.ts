import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { BrokenPromise } from './story.ts'

export interface ServiceProcess {
  readonly url: string
  /** Runs another command of the product on the same home folder and reads its JSON answer. */
  command(...args: string[]): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** Starts the real service as its own process, as `npm run serve -- --json` does. @param entry the built headless entry. */
export async function startServiceProcess(
  entry: string,
  home: string,
  environment: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const run = (...args: string[]) =>
    spawn(process.execPath, [entry, ...args, '--home', home], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const service = run('serve', '--port', '0', '--json')
  const errors = collect(service)
  const first = await firstLine(service)
  if (first === undefined) throw new BrokenPromise(`the service starts: ${errors().trim()}`)
  const { url } = JSON.parse(first) as { url: string }
  return {
    url,
    async command(...args) {
      const child = run(...args, '--json')
      const problems = collect(child)
      const line = await firstLine(child)
      if (line === undefined) throw new BrokenPromise(`${args.join(' ')}: ${problems().trim()}`)
      return JSON.parse(line) as Record<string, unknown>
    },
    async stop() {
      if (service.exitCode !== null || service.signalCode !== null) return
      service.kill('SIGTERM')
      await once(service, 'exit')
    },
  }
}

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  return () => text
}

/** The first line a process prints, or undefined when it ends without one. */
async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined
  for await (const line of createInterface({ input: child.stdout })) return line
  return undefined
}
