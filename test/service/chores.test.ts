import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../support/database.ts'
import { until } from '../support/service-process.ts'
import { worldOfTest } from '../support/world.ts'

test('checkpoints the write-ahead log once an hour', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true }))
  const w = await worldOfTest({ home })
  const { id } = await w.instance({ name: 'Written' })
  const bytesOfLog = () => statSync(join(home, 'switchboard.db-wal')).size
  expect(bytesOfLog()).toBeGreaterThan(0)

  await until('an empty log', async () => {
    // The time is noted in the database every minute, so the log is empty for less than that.
    await w.clock.advance(10_000)
    return bytesOfLog() === 0
  })

  expect((await w.api('GET', `/v1/instances/${id}`)).body.name).toBe('Written')
})
