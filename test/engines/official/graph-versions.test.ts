import { expect, test } from 'vitest'
import { readConfig } from '../../../main/config.ts'
import { GRAPH_VERSIONS } from '../../../main/contract/graph-versions.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import {
  endOfGraphVersion,
  graphVersionEnd,
  TESTED_GRAPH_VERSION,
} from '../../../main/engines/official/graph-versions.ts'
import { answeringVersion } from '../../../main/engines/sandbox/graph/versions.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { ANA, cloudWorld, graphError } from './cloud-world.ts'

const at = (day: string) => Date.parse(day)

test('a version is reported as ending from 90 days before its end', () => {
  expect(graphVersionEnd('v21.0', at('2026-10-22'))).toBeNull()
  expect(graphVersionEnd('v21.0', at('2026-10-23'))).toEqual({ endsOn: '2027-01-21', hasEnded: false })
  expect(graphVersionEnd('v21.0', at('2027-01-20T23:59:59Z'))).toEqual({ endsOn: '2027-01-21', hasEnded: false })
  expect(graphVersionEnd('v21.0', at('2027-01-21'))).toEqual({ endsOn: '2027-01-21', hasEnded: true })
})

test('a version older than all known ones has ended, and a newer one has not', () => {
  expect(graphVersionEnd('v16.0', at('2026-11-29'))).toEqual({ endsOn: null, hasEnded: true })
  expect(graphVersionEnd('v99.0', at('2035-01-01'))).toBeNull()
})

test('an installation without the setting uses the tested version', () => {
  const machine = { argv: [], env: {}, platform: process.platform, homedir: '/home/nobody', readFile: () => null }
  expect(readConfig(machine).graphVersion).toBe(TESTED_GRAPH_VERSION)
})

test('the simulated Meta knows the same versions, and answers for an ended one with the oldest supported version', () => {
  const nowMs = at('2026-11-29')
  expect(GRAPH_VERSIONS.map((version) => [version, answeringVersion(version, nowMs)])).toEqual([
    ['v20.0', 'v21.0'],
    ...GRAPH_VERSIONS.slice(1).map((version) => [version, version]),
  ])
  expect([answeringVersion('v27.0', nowMs), answeringVersion('v19.0', nowMs)]).toEqual([undefined, undefined])
  for (const version of GRAPH_VERSIONS) {
    const endsOn = endOfGraphVersion(version)
    if (endsOn === null) continue
    expect(answeringVersion(version, at(endsOn) - 1)).toBe(version)
    expect(answeringVersion(version, at(endsOn))).not.toBe(version)
  }
})

test('every call of a number uses its version, also after a restart, and calls of other numbers do not', async () => {
  const world = await cloudWorld()
  const trial = await world.connected()
  const other = await world.connected({ phoneNumberId: '222222', wabaId: '333333', number: '12025550201' })
  const { apiVersion } = world.official.engine
  await apiVersion?.check(trial, 'v25.0')
  expect(world.asked.at(-1)?.url).toContain('/v25.0/')
  await world.data.db.commit(async (tx) => apiVersion?.set(tx, trial.id, 'v25.0'))
  const act = async (instance: EngineInstance) => {
    const { engine, calling } = world.official
    await world.send(instance)
    await world.send(instance, {
      kind: 'media',
      mediaType: 'image',
      mimeType: 'image/png',
      content: contentOf(Buffer.from('x')),
    })
    const ref = { engineMessageId: 'wamid.1', chat: ANA, fromMe: false } as never
    await engine.direct?.markRead?.(instance, ref, true)
    await engine.direct?.block?.(instance, ANA, true)
    await engine.direct?.groups?.(instance)
    await engine.templates?.list(instance, { limit: 1, after: null })
    await engine.templates
      ?.uploadSample(instance, { mimeType: 'image/png', content: contentOf(Buffer.from('x')) })
      .catch(() => null)
    await engine.usernames?.read(instance)
    await calling.permission(instance, ANA)
    await engine.start(instance)
    await world.clock.advance(1_000)
  }
  const versionsOf = async (instance: EngineInstance) => {
    world.asked.length = 0
    await act(instance)
    expect(world.asked.length).toBeGreaterThan(10)
    return [...new Set(world.asked.map(({ url }) => new URL(url).pathname.split('/')[1]))]
  }
  expect(await versionsOf(trial)).toEqual(['v25.0'])
  expect(await versionsOf(other)).toEqual(['v26.0'])
  await world.restart()
  await world.official.engine.begin()
  expect(await versionsOf(trial)).toEqual(['v25.0'])
  await world.close()
})

test('a version unknown to Meta is refused, and the number keeps its own', async () => {
  const world = await cloudWorld()
  const instance = await world.connected()
  world.answer(({ url }) =>
    url.includes('/v25.0/') ? graphError(2_500, 'Unknown path components: /v25.0') : undefined,
  )
  await expect(world.official.engine.apiVersion?.check(instance, 'v25.0')).rejects.toThrow('2500')
  expect(world.official.engine.apiVersion?.of(instance.id)).toBeNull()
  await world.close()
})
