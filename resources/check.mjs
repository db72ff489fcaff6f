/**
 * npm run check: formatting, lint, types, who may import whom, and unused code. Each is an npm script of its own and
 * prints only when it fails. As many run at once as there are processors.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { build } from './run.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')
/** The longest first. */
const STEPS = ['lint:eslint', 'lint:oxlint', 'types:node', 'types:window', 'deps', 'unused', 'format']

// Types and lint need what the build generates for the components of the window.
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
    // The npm that started this one: on Windows it is a .cmd file, which cannot be started without a shell.
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
