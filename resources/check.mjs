/**
 * npm run check: formatting, lint, types, import rules and unused code. Each check is its own npm script and prints
 * its output only if it fails. As many checks run in parallel as there are processors.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { build } from './run.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')
/** The longest checks come first. */
const STEPS = ['lint:eslint', 'lint:oxlint', 'types:node', 'types:window', 'deps', 'unused', 'format']

// Type checks and lint need the files that the build generates for the window's components.
build()

const waiting = [...STEPS]
/** @type {string[]} */
const failed = []
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
process.stdout.write(failed.length === 0 ? 'All checks passed.\n' : `Failed: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

async function work() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const startedAt = performance.now()
    const { code, output } = await run(step)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    process.stdout.write(`${step.padEnd(14)}${code === 0 ? 'ok' : 'FAILED'}  ${seconds} s\n`)
    if (code === 0) continue
    failed.push(step)
    process.stdout.write(output)
  }
}

/** @param {string} step @returns {Promise<{ code: number | null, output: string }>} */
function run(step) {
  return new Promise((resolve, reject) => {
    // Runs the npm that started this script. On Windows, npm is a .cmd file, which cannot be started without a shell.
    const npm = process.env['npm_execpath']
    const [file, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
    const child = spawn(file, [...first, 'run', '--silent', step], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
