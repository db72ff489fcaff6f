import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { backUp, goBack, newHome, WAYS } from '../../support/restores.ts'
import { world, type World } from '../../support/world.ts'

/** A service is started twice in each. */
const ok = async (asking: Promise<{ status: number; body: any }>) => {
  const answer = await asking
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** Revokes a key with everything that was created with it. */
const revoke = async (w: World, id: string) =>
  expect((await asConsole(w)('DELETE', `/v1/keys/${id}`)).status).toBeLessThan(300)

let posted = 0
/** What the CRM says to the service, signed with the secret. @returns the status. */
async function postAsCrm(w: World, inboundUrl: string, secret: string): Promise<number> {
  const at = String(Math.floor(w.clock.now() / 1_000))
  const payload = JSON.stringify({ id: `o${++posted}`, type: 'opt_out', phone: '12025550199', opted_out: false })
  const signature = createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')
  const headers = {
    ...{ host: w.host, 'content-type': 'application/json' },
    ...{ 'x-service-timestamp': at, 'x-service-signature': `sha256=${signature}` },
  }
  const { pathname: url } = new URL(inboundUrl)
  return (await w.service.door.app.inject({ method: 'POST', url, headers, payload })).statusCode
}

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('when %s', (way) => {
  test('D-10 a CRM secret that ended with its key since stays ended, and a new one lets the webhook continue', async () => {
    const w = await world({ home: newHome() })
    const { id } = await w.pair()
    const path = `/v1/instances/${id}/crm-webhook`
    const key = await w.key()
    const receiver = { url: 'https://catcher.sandbox/crm' }
    const { secret, inbound_url: inbound } = await ok(w.api('PUT', path, receiver, { key: key.key }))
    expect(await postAsCrm(w, inbound, secret)).toBe(202)
    const name = await backUp(w)
    await revoke(w, key.id)

    const after = await goBack(w, name, way)
    expect(await postAsCrm(after, inbound, secret)).toBe(401)
    expect(await ok(after.api('GET', path))).toMatchObject({
      ...{ state: 'reconnect_required', connected: false, secret_last4: null },
      last_error: { code: 'secret_ended', message: expect.stringContaining('Create a new one') },
    })
    const { secret: fresh } = await ok(after.api('POST', `${path}/rotate-secret`))
    expect([await postAsCrm(after, inbound, fresh), await postAsCrm(after, inbound, secret)]).toEqual([202, 401])
    expect(await ok(after.api('GET', path))).toMatchObject({ connected: true, last_error: null })
  })

  test('D-10 a CRM secret that was replaced since does not work again', async () => {
    const w = await world({ home: newHome() })
    const { id } = await w.pair()
    const path = `/v1/instances/${id}/crm-webhook`
    const { secret, inbound_url: inbound } = await ok(w.api('PUT', path, { url: 'https://catcher.sandbox/crm' }))
    const name = await backUp(w)
    const { secret: fresh } = await ok(w.api('POST', `${path}/rotate-secret`, { overlap_seconds: 0 }))

    const after = await goBack(w, name, way)
    expect(await postAsCrm(after, inbound, secret)).toBe(401)
    // It is in no file of facts.
    const isKnown = way === 'a person restores it'
    expect(await postAsCrm(after, inbound, fresh)).toBe(isKnown ? 202 : 401)
    expect((await ok(after.api('GET', path))).connected).toBe(isKnown)
  })

  test('D-10 an onboarding page that ended with a key since stays closed', async () => {
    const w = await world({ home: newHome() })
    const key = await w.key()
    const { onboarding_url: url, id } = await ok(
      w.api('POST', '/v1/instances', { engine: 'official' }, { key: key.key }),
    )
    const statusOf = async (of: World, page: string) =>
      (await of.api('GET', new URL(page).pathname, undefined, { key: null })).status
    expect(await statusOf(w, url)).toBe(200)
    const name = await backUp(w)
    await revoke(w, key.id)

    const after = await goBack(w, name, way)
    expect(await statusOf(after, url)).toBe(404)
    const { onboarding_url: fresh } = await ok(asConsole(after)('GET', `/v1/instances/${id}`))
    expect(await statusOf(after, fresh)).toBe(200)
  })
})
