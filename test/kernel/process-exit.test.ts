import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../support/database.ts'

const CHILD = join(import.meta.dirname, 'process-exit-child.ts')

async function ended(...args: string[]): Promise<unknown[]> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return once(child, 'exit', { signal: AbortSignal.timeout(15_000) })
}

test('a process exits with its code, and is killed if a system call blocks on a prompt', async () => {
  const folder = tempFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const pipe = join(folder, 'prompt')
  execFileSync('mkfifo', [pipe])

  expect(await ended()).toEqual([3, null])
  expect(await ended(pipe)).toEqual([null, 'SIGKILL'])
})
