import type { Call } from './service.ts'

/** A number of the simulated network that takes messages and says nothing about them. */
export const SILENT_NUMBER = '12025550101'

/** Makes an instance and pairs it with a phone of the simulated network. @returns its id. */
export async function pairedLine(call: Call): Promise<string> {
  const { id } = await call('POST', '/v1/instances', { name: 'Bench' })
  await call('POST', '/v1/sandbox/phones', { number: '12025550100' })
  await call('POST', '/v1/sandbox/phones', { number: SILENT_NUMBER })
  await call('PATCH', `/v1/sandbox/phones/${SILENT_NUMBER}`, { receipts: 'none' })
  const at = `/v1/instances/${String(id)}`
  let qr: unknown
  while (typeof qr !== 'string') {
    ;({ qr } = await call('GET', `${at}/qr`))
    if (typeof qr !== 'string') await moment()
  }
  await call('POST', '/v1/sandbox/phones/12025550100/scan', { qr })
  while ((await call('GET', `${at}/connection`))['connected'] !== true) await moment()
  return String(id)
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 50))
