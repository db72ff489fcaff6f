import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENVIRONMENT, testHome } from '../support/service-process.ts'

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.skipIf(process.platform === 'win32')('a killed test run leaves no service behind', async () => {
  const home = testHome()
  const run = spawn(process.execPath, [join(import.meta.dirname, 'service-child.ts'), home.dir], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(run.stdout.setEncoding('utf8'), 'data')) as [string]
  const service = Number(line)
  expect(isAlive(service)).toBe(true)
  run.kill('SIGKILL')
  await expect.poll(() => isAlive(service)).toBe(false)
  await home.remove()
})
