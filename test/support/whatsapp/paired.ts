import { expect } from 'vitest'
import { decodeQr } from '../qr.ts'
import { until, type Api } from '../service-process.ts'
import type { WhatsApp } from './index.ts'

/** Creates a live instance and pairs it: the phone of this number scans the QR code from the API. */
export async function pairedLive(api: Api, whatsapp: WhatsApp, number: string): Promise<string> {
  const made = await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: `Live ${number}` })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const id: string = made.body.id
  await whatsapp.phone(number).scan(decodeQr(await shownQr(api, id)))
  await connected(api, id)
  return id
}

/** Waits for the QR code of the instance. */
export const shownQr = (api: Api, id: string): Promise<string> =>
  until('a QR code', async () => (await api('GET', `/v1/instances/${id}/qr`)).body.qr ?? undefined)

/** Waits until the instance is connected. */
export const connected = (api: Api, id: string): Promise<true> =>
  until(
    'the connection',
    async () => (await api('GET', `/v1/instances/${id}/connection`)).body.connected || undefined,
    30_000,
  )
