import { expect } from 'vitest'
import { until, type Api } from './service-process.ts'

/** Creates an smv2 instance on the sandbox network and pairs it with a phone of this number, as a person would. */
export async function pairedInstance(api: Api, number: string, name = `Line ${number}`): Promise<string> {
  const made = await api('POST', '/v1/instances', { name })
  expect(made.status).toBe(201)
  const id: string = made.body.id
  const view = await until('a QR code', async () => {
    const { body } = await api('GET', `/v1/instances/${id}/qr`)
    return body.state === 'ready' ? body : undefined
  })
  await api('POST', '/v1/sandbox/phones', { number, name })
  const scanned = await api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code: view.pairing_code })
  expect(scanned.status).toBe(200)
  await until('the connection', async () => (await api('GET', `/v1/instances/${id}/connection`)).body.connected)
  return id
}

export interface CaughtRequest {
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature: 'valid' | 'invalid' | 'none'
}

/** Subscribes a catcher to every event. */
export async function catchEverything(
  api: Api,
  name: string,
  more: object = {},
): Promise<{ id: string; secret: string }> {
  const made = await api('POST', '/v1/webhooks', { url: `https://catcher.sandbox/${name}`, events: ['*'], ...more })
  expect(made.status).toBe(201)
  return made.body
}

/** Everything a catcher received, oldest first. */
export async function caught(api: Api, name: string): Promise<CaughtRequest[]> {
  return (await everyPage<CaughtRequest>(api, `/v1/sandbox/catcher/${name}`)).toReversed()
}

/** All pages of a list, as the list orders them. */
export async function everyPage<T>(api: Api, path: string): Promise<T[]> {
  const rows: T[] = []
  let cursor = ''
  do {
    const { status, body } = await api('GET', `${path}?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    expect(status).toBe(200)
    rows.push(...body.data)
    cursor = body.has_more ? body.next_cursor : ''
  } while (cursor !== '')
  return rows
}
