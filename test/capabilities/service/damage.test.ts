import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Notice } from '../../../main/contract/notice.ts'
import { testMaintenanceProcess } from '../../support/maintenance-process.ts'
import { asConsole } from '../../support/console.ts'
import { damageIndex } from '../../support/damage.ts'
import { tempFolder } from '../../support/database.ts'
import { until } from '../../support/service-process.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const MINUTE = 60_000

const health = async (w: World) => (await w.api('GET', '/healthz', undefined, { key: null })).body
const warnings = async (w: World): Promise<string[]> => (await asConsole(w)('GET', '/v1/service')).body.warnings
const storage = async (w: World) => (await asConsole(w)('GET', '/v1/service/diagnostics')).body.storage
const gauge = async (w: World, name: string) =>
  new RegExp(`^switchboard_database_${name} (\\S+)$`, 'm').exec((await w.api('GET', '/metrics')).text)?.[1]

/** Waits for the look. A minute in which something was written late puts it off to the next one. */
async function untilLookedThrough(w: World): Promise<string> {
  await w.clock.advance(9 * MINUTE)
  let minutesLeft = 5
  let nextMono = 0
  return until('the look', async () => {
    if (minutesLeft > 0 && performance.now() > nextMono) {
      minutesLeft -= 1
      nextMono = performance.now() + 5_000
      await w.clock.advance(MINUTE)
    }
    return (await storage(w)).looked_through_at ?? undefined
  })
}

test('D-05 damage found by the daily check is reported everywhere, hourly backups stop, and the next start restores the intact backup', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true }))
  const w = await worldOfTest({ home, maintenanceProcess: testMaintenanceProcess, settings: { backups: 'hourly' } })
  const notices: Notice[] = []
  const { id } = await w.instance({ name: 'Before' })
  const { file } = (await asConsole(w)('POST', '/v1/service/backups')).body
  const backup = String(file).split('/').at(-1)
  expect([await storage(w), await gauge(w, 'damaged')]).toEqual([
    expect.objectContaining({ integrity: 'ok', looked_through_at: null }),
    '0',
  ])

  damageIndex(join(home, 'switchboard.db'), 'sqlite_autoindex_instances_1', id)
  w.service.onNotice((notice) => notices.push(notice))
  const lookedThroughAt = await untilLookedThrough(w)

  expect(await health(w)).toEqual({ status: 'degraded', problems: ['database_damaged'] })
  expect(await warnings(w)).toEqual([
    'The database is damaged (row 1 missing from index sqlite_autoindex_instances_1). Hourly backups are off. ' +
      `Restart Switchboard soon: it will restore the backup ${backup}, and changes after it will be lost.`,
  ])
  expect(await storage(w)).toMatchObject({ integrity: 'damaged', looked_through_at: lookedThroughAt })
  expect([await gauge(w, 'damaged'), await gauge(w, 'looked_through_timestamp_seconds')]).toEqual([
    ...['1', String(Date.parse(lookedThroughAt) / 1_000)],
  ])
  await until('the notice', async () => {
    await w.clock.advance(1_000)
    return notices.some(({ topic }) => topic === 'service')
  })
  // One of the first minute would hold the damage as well, and is none.
  const copies = async () => (await asConsole(w)('GET', '/v1/service/backups')).body.data.length
  expect(await copies()).toBe(1)
  await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/since', events: ['*'] })
  await w.clock.advance(61 * MINUTE)
  expect(await copies()).toBe(1)
  await w.close()

  const after = await worldOfTest({ home, vault: w.vault, seed: 2, maintenanceProcess: testMaintenanceProcess })
  expect(await health(after)).toEqual({ status: 'degraded', problems: ['data_lost'] })
  expect(await warnings(after)).toEqual([expect.stringContaining(`replaced with the backup ${backup}`)])
  expect((await after.api('GET', `/v1/instances/${id}`)).body.name).toBe('Before')
  expect(await storage(after)).toMatchObject({ integrity: 'ok' })
})

test('for an intact database only the time of the check is reported', async () => {
  const w = await worldOfTest({ maintenanceProcess: testMaintenanceProcess })
  await untilLookedThrough(w)
  expect([await health(w), await warnings(w), await gauge(w, 'damaged')]).toEqual([
    ...[{ status: 'ok', problems: [] }, [], '0'],
  ])
})
