import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/service-process.ts'
import { mustAgree, Objection, type Court, type Judge } from '../court.ts'

const FLOWS = join(import.meta.dirname, '../../../resources/flows')

/** The flows of resources/flows, carried out step by step: each answer also against the document. */
export const judge: Judge = {
  about: 'the flows of resources/flows, carried out by Redocly respect',
  // A number of the sandbox that stays silent is waited for this long.
  settings: { SWITCHBOARD_SEND_TIMEOUT_MS: '500' },
  async judge(court: Court) {
    const { url, dir, tool } = court
    const flows = readdirSync(FLOWS).filter((file) => file.endsWith('.arazzo.yaml'))
    // The flows read the document beside them, and the service's own address from it.
    writeFileSync(join(dir, 'openapi.yaml'), await (await fetch(`${url}/openapi.yaml`)).text())
    for (const flow of flows) copyFileSync(join(FLOWS, flow), join(dir, flow))
    const inputs = await inputsOf(court)
    for (const flow of flows) {
      mustAgree(`redocly lint ${flow}`, await tool('redocly', ['lint', flow], { cwd: dir }))
      const args = ['respect', flow, '--input', JSON.stringify(inputs), '--verbose']
      mustAgree(`redocly respect ${flow}`, await tool('redocly', args, { cwd: dir }))
    }
    return `${flows.length} flows`
  },
}

/** What the flows start from: two instances, one of them connected, and a key that is restricted to it. */
async function inputsOf({ api, key, home }: Court): Promise<Record<string, string>> {
  const instance = await connected(api, '12025550200')
  const { body: official } = await api('POST', '/v1/instances', { name: 'Client', engine: 'official' })
  await api('POST', `/v1/sandbox/instances/${official.id}/onboard`, { number: '12025550202' })
  const { body: other } = await api('POST', '/v1/instances', { name: 'Another client' })
  const { key: restricted } = await home.key('client', '--instances', instance)
  return {
    key,
    instance,
    official_instance: official.id as string,
    other_instance: other.id as string,
    restricted_key: restricted,
  }
}

async function connected(api: Court['api'], number: string): Promise<string> {
  const { body: made } = await api('POST', '/v1/instances', { name: 'Client' })
  const { body: view } = await api('GET', `/v1/instances/${made.id}/qr`)
  const scanned = await api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code: view.pairing_code })
  if (scanned.status !== 200) throw new Objection(`scanning answers ${scanned.status}`)
  await until('the instance connects', async () => (await api('GET', `/v1/instances/${made.id}`)).body.connected)
  return made.id as string
}
