import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { CATALOGUE, type Fault } from './catalogue.ts'
import { FAULT_ID } from './files.ts'

/**
 * npm run faults: causes every fault of the catalogue, prints what came of each, and writes it into RESULTS.md. Part of
 * the tests are those of npm test; the others take long, or need root and Linux.
 */
const ROOT = resolve(import.meta.dirname, '../..')
interface Test {
  readonly fullName: string
  readonly status: string
  readonly file: string
  readonly observed: string | undefined
  /** Why it failed, in a line; empty where it did not. */
  readonly why: string
}

interface Row {
  readonly id: string
  readonly done: string
  readonly observed: string
  readonly verdict: 'pass' | 'FAIL' | 'not run'
}

const only = process.argv.slice(2).filter((word) => Object.hasOwn(CATALOGUE, word))
const tests = runTests(only)
const rows = Object.keys(CATALOGUE)
  .filter((id) => only.length === 0 || only.includes(id))
  .map((id) => rowOf(id, tests))
const table = [
  '| Fault | What was done | What was observed | |',
  '| --- | --- | --- | --- |',
  ...rows.map(({ id, done, observed, verdict }) => `| ${id} | ${done} | ${observed} | ${verdict} |`),
].join('\n')
process.stdout.write(`${table}\n`)
if (only.length === 0) writeFileSync(join(import.meta.dirname, 'RESULTS.md'), resultsOf(table, tests))
process.exitCode = rows.some(({ verdict }) => verdict === 'FAIL') ? 1 : 0

function runTests(ids: readonly string[]): Test[] {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-faults-'))
  const file = join(folder, 'results.json')
  const name = ids.length === 0 ? [] : ['--testNamePattern', ids.join('|')]
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const config = join(ROOT, 'test', 'config', 'faults.config.ts')
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', file]
  // Standard output is the table's.
  spawnSync(process.execPath, [vitest, 'run', '--config', config, ...reporters, ...name], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  })
  const found = JSON.parse(readFileSync(file, 'utf8')) as {
    testResults: {
      name: string
      assertionResults: {
        fullName: string
        status: string
        meta?: { observed?: string }
        failureMessages?: string[]
      }[]
    }[]
  }
  rmSync(folder, { recursive: true })
  return found.testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ fullName, status, meta, failureMessages }) => ({
      ...{ fullName, status, file: relative(ROOT, path), observed: meta?.observed },
      why: failureMessages?.[0]?.split('\n')[0]?.replaceAll('|', '/') ?? '',
    })),
  )
}

function rowOf(id: string, all: readonly Test[]): Row {
  const unlisted: Fault = { does: '', sees: '' }
  const { does: done, sees, notRun } = CATALOGUE[id] ?? unlisted
  const mine = all.filter(
    ({ fullName, status }) => fullName.match(FAULT_ID)?.includes(id) === true && status !== 'pending',
  )
  const ran = mine.filter(({ status }) => status === 'passed' || status === 'failed')
  if (ran.length === 0)
    return {
      id,
      done,
      observed: notRun ?? 'this machine cannot: it needs Linux, and root or strace',
      verdict: 'not run',
    }
  const failed = ran.filter(({ status }) => status === 'failed')
  if (failed.length > 0)
    return { id, done, observed: failed.map(({ fullName, why }) => `${fullName}: ${why}`).join('; '), verdict: 'FAIL' }
  const measured = ran.flatMap(({ observed }) => observed ?? [])
  const count = `${ran.length} ${ran.length === 1 ? 'test' : 'tests'}`
  return { id, done, observed: `${[sees, ...measured].join('. ')} (${count})`, verdict: 'pass' }
}

function resultsOf(rowsOfTable: string, all: readonly Test[]): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const processor = cpus()[0]?.model.trim() ?? 'unknown'
  const machine = `${process.platform} ${release()}, ${cpus().length} × ${processor}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const ran = all.filter(({ status }) => status === 'passed' || status === 'failed').length
  return `# Faults that were caused

Written by \`npm run faults\` on ${new Date().toISOString().slice(0, 10)}: Switchboard ${version}, Node ${process.versions.node}, ${machine}; ${ran} tests.

${rowsOfTable}
`
}
