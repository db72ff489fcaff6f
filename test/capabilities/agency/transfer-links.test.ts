import { expect, test } from 'vitest'
import { worldOfTest, type World } from '../../support/world.ts'
import { until } from '../crm/ghl-world.ts'
import { clientOf, pairedIn, type Client } from './agency-world.ts'

const pathOf = (url: string) => new URL(url).pathname

async function must(of: Client, method: string, path: string, body?: object): Promise<any> {
  const answer = await of.api(method, path, body)
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

/** Everything with which somebody without a key could connect numbers of an account. */
async function doorsOf(w: World, from: Client) {
  const line = await pairedIn(w, from, '12025550141')
  const official = await must(from, 'POST', '/v1/instances', { engine: 'official' })
  const secured = await must(from, 'POST', '/v1/instances', {})
  await must(from, 'POST', '/v1/sandbox/phones', { number: '12025550142', passkey: true })
  const { pairing_code } = await must(from, 'GET', `/v1/instances/${secured.id}/qr`)
  await must(from, 'POST', '/v1/sandbox/phones/12025550142/scan', { pairing_code })
  const passkey = await until(async () => must(from, 'POST', `/v1/instances/${secured.id}/passkey/link`))
  const permanent = await must(from, 'POST', `/v1/instances/${line.id}/access-links`, { permanent: true })
  return {
    ids: [line.id, official.id, secured.id],
    paths: [pathOf(permanent.url), pathOf(official.onboarding_url), pathOf(passkey.url)],
    line,
    official,
  }
}

test('after a transfer the links of the old account stop working, and the new owner creates new ones', async () => {
  const w = await worldOfTest()
  const [from, to] = [await clientOf(w), await clientOf(w)]
  const { ids, paths, line, official } = await doorsOf(w, from)
  const opened = async () => {
    const look = (path: string) => w.api('GET', path, undefined, { key: null, headers: { accept: 'text/html' } })
    return Promise.all(paths.map(async (path) => (await look(path)).status))
  }
  expect(await opened()).toEqual([200, 200, 200])
  const page = await fetch(`${w.service.url}${paths[0]}/events`)

  for (const id of ids)
    expect((await w.api('POST', `/v1/agency/instances/${id}/transfer`, { account_id: to.id })).status).toBe(200)
  expect(await opened()).toEqual([404, 404, 404])
  expect(await page.text()).toMatch(/event: gone\ndata: {}\n\n$/)
  const refreshed = await w.api('POST', paths[0] ?? '', { act: 'refresh' }, { key: null })
  expect(refreshed.status).toBe(404)

  const { data } = await must(to, 'GET', `/v1/instances/${line.id}/access-links`)
  expect(data).toMatchObject([{ permanent: true, state: 'revoked' }])
  const { url } = await must(to, 'POST', `/v1/instances/${official.id}/access-links`, {})
  const own = await w.api('GET', pathOf(url), undefined, { key: null, headers: { accept: 'text/html' } })
  const onboarding = pathOf(/href="([^"]+\/onboard\/[^"]+)"/.exec(own.text)?.[1] ?? '')
  expect(onboarding).not.toBe(paths[1])
  const made = await must(to, 'POST', `/v1/instances/${line.id}/access-links`, {})
  paths.splice(0, paths.length, pathOf(made.url), onboarding)
  expect(await opened()).toEqual([200, 200])
})
