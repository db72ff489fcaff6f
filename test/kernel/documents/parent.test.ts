import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the process that reads documents ends with the service, even if the service is killed', async () => {
  const service = spawn(process.execPath, [resolve(import.meta.dirname, 'reading-child.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect(String(await once(service.stdout, 'data'))).toBe('read\n')
  const pid = service.pid ?? 0
  const [child = 0] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  expect(isAlive(child)).toBe(true)
  service.kill('SIGKILL')
  await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false)
})
