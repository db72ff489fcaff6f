import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '../../resources/run.mjs'
import { install, Objection, programFile, run, toolEnvironment, type Court, type Judge } from './court.ts'

/** `npm run judge [name…]`: each judge before the built service, one line for each. Without names, all of them. */

const HERE = import.meta.dirname
const TOOL_SECONDS = 120

const all = readdirSync(HERE).filter((name) => existsSync(join(HERE, name, 'judge.ts')))
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  say(`There is no judge ${unknown.join(', ')}. There are: ${all.join(', ')}.`)
  process.exit(2)
}

build()
// It finds the built service when it is loaded, so the build comes first.
const { testHome } = await import('../support/service-process.ts')

const width = Math.max(...all.map((name) => name.length))
let failed = 0
for (const name of asked.length > 0 ? asked : all) {
  const startedAt = performance.now()
  const { judge } = (await import(`./${name}/judge.ts`)) as { judge: Judge }
  const line = (verdict: string, what: string) => {
    const seconds = (performance.now() - startedAt) / 1_000
    say(`${name.padEnd(width)}  ${verdict}  ${seconds.toFixed(1).padStart(6)} s  ${what}`)
  }
  try {
    line('pass', `${judge.about}: ${await hear(name, judge)}`)
  } catch (error) {
    failed++
    line('FAIL', judge.about)
    say(error instanceof Objection ? error.message : ((error as Error).stack ?? String(error)))
  }
}
process.exitCode = failed === 0 ? 0 : 1

/** One judge before one service, which knows nothing of the judges before. */
async function hear(name: string, judge: Judge): Promise<string> {
  const folder = join(HERE, name)
  await install(folder)
  const home = testHome()
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-judge-'))
  const env = toolEnvironment(dir)
  try {
    const service = await home.start({
      SWITCHBOARD_SANDBOX_TIMELINE_MS: '0,0,0,0',
      SWITCHBOARD_ANONYMOUS_RATE_LIMIT_PER_MINUTE: '1000000',
      ...judge.settings,
    })
    const { key } = await home.key('judge')
    const court: Court = {
      url: service.url,
      pid: service.pid,
      key,
      api: service.api(key),
      home,
      dir,
      folder,
      tool: (tool, args, { cwd = dir, seconds = TOOL_SECONDS } = {}) =>
        run(process.execPath, [programFile(folder, tool), ...args], { cwd, env, seconds }),
      program: (tool) => ({ file: programFile(folder, tool), env }),
    }
    const seen = await judge.judge(court)
    // The log level is warn: what the service wrote is a fault that no answer need have shown.
    if (service.errors() !== '') throw new Objection(`The service wrote:\n${service.errors()}`)
    return seen
  } finally {
    await home.remove()
    rmSync(dir, { recursive: true, force: true })
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
