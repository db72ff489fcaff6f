import { expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { checkGraphVersions } from '../../../main/service/doctor/graph-version.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

const path = (id: string) => `/v1/instances/${id}/official-settings`

/** Real time, which the simulated Meta needs, in a year in which v21.0 is about to end. */
const worldIn = (day: string) => {
  const aheadMs = Date.parse(day) - Date.now()
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  return worldOfTest({ clock, settings: { graphBaseUrl: 'sandbox', network: 'live', graphVersion: 'v25.0' } })
}

test('a number uses the version of the service until it has one of its own, and again after null', async () => {
  const w = await worldIn('2026-11-01')
  const { id } = await officialNumber(w, '12025550300')
  const before = (await w.api('GET', path(id))).body
  expect(before).toMatchObject({ graph_version: null, default_graph_version: 'v25.0', ends_on: null, ends_soon: false })
  expect(before.graph_versions.map(({ version }: { version: string }) => version)).toEqual([
    ...['v21.0', 'v22.0', 'v23.0', 'v24.0', 'v25.0', 'v26.0'],
  ])

  const changed = await w.api('PATCH', path(id), { graph_version: 'v26.0' })
  expect([changed.status, changed.body.graph_version]).toEqual([200, 'v26.0'])
  expect((await w.api('GET', path(id))).body).toEqual(changed.body)
  expect((await w.api('PATCH', path(id), { graph_version: null })).body).toEqual(before)
})

test('only versions that exist and have not ended are accepted', async () => {
  const w = await worldIn('2026-11-01')
  const { id } = await officialNumber(w, '12025550301')
  for (const graph_version of ['v27.0', 'v19.0', '26', '', 26]) {
    const answer = await w.api('PATCH', path(id), { graph_version })
    expect([graph_version, answer.status, answer.body.error.code]).toEqual([graph_version, 400, 'validation_error'])
  }
  const ended = (await w.api('PATCH', path(id), { graph_version: 'v20.0' })).body.error
  expect(ended).toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('ended version v20.0 on 2026-09-24'),
  })
  expect((await w.api('GET', path(id))).body.graph_version).toBeNull()
})

test('a version of its own that ends in 90 days is reported in the health, the overview and by the doctor', async () => {
  const w = await worldIn('2026-11-01')
  const { id } = await officialNumber(w, '12025550302')
  const other = await officialNumber(w, '12025550303')
  await w.api('PATCH', path(other.id), { graph_version: 'v26.0' })
  expect(await attention(w)).toEqual([])
  await w.api('PATCH', path(id), { graph_version: 'v21.0' })
  expect((await w.api('GET', path(id))).body).toMatchObject({ ends_on: '2027-01-21', ends_soon: true })

  const issues = async (one: string) => (await w.api('GET', `/v1/instances/${one}/health`)).body.issues
  const said = expect.stringContaining('Meta ends version v21.0 of its Graph API on 2027-01-21')
  expect(await issues(id)).toContainEqual({
    ...{ code: 'graph_version', message: said, since: null },
    ...{ graph_version: 'v21.0', until: '2027-01-21T00:00:00.000Z' },
  })
  expect(await issues(other.id)).not.toContainEqual(expect.objectContaining({ code: 'graph_version' }))
  expect(await attention(w)).toEqual([
    expect.objectContaining({
      ...{ code: 'version_ends', severity: 'warning', count: 1 },
      subject: { id, name: '12025550302' },
      issue: { graph_version: 'v21.0', until: '2027-01-21T00:00:00.000Z' },
    }),
  ])

  const doctor = (graphVersion: string) =>
    checkGraphVersions(w.service.db, { graphBaseUrl: 'https://graph.facebook.com', graphVersion }, w.clock.now())
  const own =
    'Meta ends version v21.0 of its Graph API on 2027-01-21. One official number uses it: set the version of these numbers to v26.0.'
  expect(await doctor('v26.0')).toEqual([{ subject: 'meta', state: 'look', says: own }])
  await w.api('PATCH', path(id), { graph_version: null })
  const usual = own.replace('the version of these numbers', 'official.graph_version')
  expect(await doctor('v21.0')).toEqual([{ subject: 'meta', state: 'look', says: usual }])
  expect(await doctor('v26.0')).toEqual([
    { subject: 'meta', state: 'well', says: 'Official numbers use v26.0 of Meta’s API.' },
  ])
})

const attention = async (w: World) =>
  (await asConsole(w)('GET', '/v1/overview/attention')).body.data.filter(
    ({ room }: { room: string }) => room === 'official-settings',
  )

test('a sandbox instance has no version, and no other engine has the setting', async () => {
  const w = await worldOfTest()
  const { id } = await w.official()
  expect((await w.api('GET', path(id))).body).toMatchObject({ graph_version: null, default_graph_version: 'v26.0' })
  const refused = (await w.api('PATCH', path(id), { graph_version: 'v25.0' })).body.error
  expect(refused).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('no calls to Meta') })
  expect((await w.api('PATCH', path(id), { graph_version: null })).status).toBe(200)
  const phone = await w.pair()
  expect((await w.api('GET', path(phone.id))).body.error.code).toBe('engine_mismatch')
})

test('a number that is transferred uses the version of the service again', async () => {
  const w = await worldIn('2026-11-01')
  const { id } = await officialNumber(w, '12025550304')
  await w.api('PATCH', path(id), { graph_version: 'v24.0' })
  const client = await clientOf(w)
  const moved = await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: client.id })
  expect(moved.status).toBe(200)
  expect((await w.api('GET', path(id), undefined, { key: client.key })).body.graph_version).toBeNull()
})
