import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NODE_FLAGS } from '../support/node-flags.ts'
import { ENTRY, ENVIRONMENT, follow, testHome, untilListening, type TestHome } from '../support/service-process.ts'

/** A device on which every write fails as on a full disk. Linux has it. */
const FULL = '/dev/full'

let home: TestHome

beforeEach(() => {
  home = testHome()
})

afterEach(() => home.remove())

/** @param fullStream which of its streams goes to a full disk. */
function startWithFull(fullStream: 'stdout' | 'stderr', ...args: string[]) {
  const full = openSync(FULL, 'w')
  const child = spawn(process.execPath, [...NODE_FLAGS, ENTRY, ...args, '--home', home.dir], {
    env: { ...ENVIRONMENT, SWITCHBOARD_LOG_LEVEL: 'debug' },
    stdio: ['ignore', fullStream === 'stdout' ? full : 'pipe', fullStream === 'stderr' ? full : 'pipe'],
  })
  closeSync(full)
  return follow(child)
}

test.runIf(existsSync(FULL))('the service runs while its log cannot be written, and reports that', async () => {
  const service = await untilListening(startWithFull('stderr', 'serve', '--port', '0', '--json'))
  const { key } = await home.key('Full')
  expect(await service.api(key)('GET', '/v1/me')).toMatchObject({ status: 200 })
  expect(await service.api(key)('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { status: 'degraded', problems: ['log_not_written'] },
  })
  expect(await service.end('SIGTERM')).toBe(0)
})

test.runIf(existsSync(FULL))('the service exits with 0 although its output is lost', async () => {
  const service = startWithFull('stdout', 'serve', '--port', '0')
  await expect.poll(service.errors).toContain('service.started')
  expect(await service.end('SIGTERM')).toBe(0)
})

test.runIf(existsSync(FULL))('a command whose output cannot be written exits with 1', async () => {
  const command = startWithFull('stdout', 'keys', 'list')
  expect(await command.ended).toBe(1)
  expect(command.errors()).toBe(
    "Can't write the output (ENOSPC). Check free space where it is redirected to, then run the command again.\n",
  )
})
