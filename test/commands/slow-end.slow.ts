import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasShutdownNote } from '../../main/storage/clean-shutdown.ts'
import {
  createApi,
  ENVIRONMENT,
  follow,
  pause,
  testHome,
  untilListening,
  type TestHome,
} from '../support/service-process.ts'

const CHILD = join(import.meta.dirname, 'slow-end-child.ts')

/** Starts a service with an account's key and one instance. @param slow what is slow, and by how much. */
async function slowService(home: TestHome, ...slow: string[]) {
  const { key } = await home.key('Slow end')
  const args = [CHILD, ...slow, '--port', '0', '--json', '--home', home.dir]
  const service = await untilListening(follow(spawn(process.execPath, args, { env: ENVIRONMENT })))
  onTestFinished(async () => {
    await service.end('SIGKILL')
  })
  const saved = await createApi(service.url, key)('POST', '/v1/instances', { name: 'Acknowledged' })
  expect(saved.status).toBe(201)
  return { service, key }
}

async function namesAfter(home: TestHome, key: string): Promise<string[]> {
  const next = await home.start()
  const { body } = await next.api(key)('GET', '/v1/instances')
  expect(await next.end('SIGTERM')).toBe(0)
  return body.data.map(({ name }: { name: string }) => name)
}

function homeOfTest(): TestHome {
  const home = testHome()
  onTestFinished(() => home.remove())
  return home
}

const isClean = (home: TestHome) => hasShutdownNote(join(home.dir, 'switchboard.db'))

test('SIGTERM ends with code 0 if closing the storage takes longer than requests may, as an orderly end', async () => {
  const home = homeOfTest()
  const { service, key } = await slowService(home, 'close', '7000')
  expect(await service.end('SIGTERM')).toBe(0)
  expect([service.errors(), isClean(home)]).toEqual([expect.not.stringContaining('Nothing is lost'), true])
  expect(await namesAfter(home, key)).toEqual(['Acknowledged'])
})

test('SIGTERM ends with code 0 and a closed storage if some work does not end, and names it', async () => {
  const home = homeOfTest()
  const { service, key } = await slowService(home, 'reads', '0')
  process.kill(service.pid, 'SIGUSR2')
  // Workers look once a second, and wait for their reads.
  await pause(1_500)
  expect(await service.end('SIGTERM')).toBe(0)
  expect(service.errors()).toMatch(/"event":"service\.cut_short".*"step":"work"/)
  expect(isClean(home)).toBe(true)
  expect(await namesAfter(home, key)).toEqual(['Acknowledged'])
})

test('SIGTERM ends with code 1 if the storage cannot be closed, and nothing acknowledged is lost', async () => {
  const home = homeOfTest()
  const { service, key } = await slowService(home, 'close', '60000')
  const startedAt = performance.now()
  expect(await service.end('SIGTERM')).toBe(1)
  expect(performance.now() - startedAt).toBeLessThan(9_900)
  expect(service.errors()).toContain('could not close its database in time. Nothing is lost')
  expect(await namesAfter(home, key)).toEqual(['Acknowledged'])
})
