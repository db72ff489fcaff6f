import type { Call } from './service.ts'

/** A number of the simulated network that accepts messages and sends no receipts. */
export const SILENT_NUMBER = '12025550101'

/** Creates an instance and pairs it with a phone of the simulated network. @returns its id. */
export async function pairedLine(call: Call): Promise<string> {
  const { id } = await call('POST', '/v1/instances', { name: 'Bench' })
  await call('POST', '/v1/sandbox/phones', { number: '12025550100' })
  await call('POST', '/v1/sandbox/phones', { number: SILENT_NUMBER })
  await call('PATCH', `/v1/sandbox/phones/${SILENT_NUMBER}`, { receipts: 'none' })
  return scanned(call, String(id), '12025550100')
}

/** Creates several instances, each with its own phone. @returns their ids. */
export async function pairedInstances(call: Call, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const { id } = await call('POST', '/v1/instances', { name: `Number ${at}` })
    const number = String(12_025_550_700 + at)
    await call('POST', '/v1/sandbox/phones', { number })
    ids.push(await scanned(call, String(id), number))
  }
  return ids
}

/** @returns the id of the instance after its phone has scanned the code. */
async function scanned(call: Call, id: string, number: string): Promise<string> {
  const at = `/v1/instances/${id}`
  let qr: unknown
  while (typeof qr !== 'string') {
    ;({ qr } = await call('GET', `${at}/qr`))
    if (typeof qr !== 'string') await moment()
  }
  await call('POST', `/v1/sandbox/phones/${number}/scan`, { qr })
  while ((await call('GET', `${at}/connection`))['connected'] !== true) await moment()
  return id
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 50))
