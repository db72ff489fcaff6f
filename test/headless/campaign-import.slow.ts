import { afterAll, beforeAll, expect, test } from 'vitest'
import { cpuMicros, residentMiB } from '../bench/lib/processes.ts'
import { slowness } from '../support/loop-stretch.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { testHome, type Api, type RunningService, type TestHome } from '../support/service-process.ts'

const ROWS = 100_000
const MOST_CPU_S = 5
/** The first import fills SQLite's cache too, of 32 MiB. Measured: 60 to 90 MiB, then 5 to 20. */
const MOST_MIB = 100

let home: TestHome
let service: RunningService
let key: string

beforeAll(async () => {
  home = testHome()
  key = (await home.key('Import')).key
  service = await home.start()
})
afterAll(() => home.remove())

test('a file of 100,000 rows is imported within seconds and with little memory', async () => {
  const api: Api = service.api(key)
  const instance = await pairedInstance(api, '12025550601')
  const rows = Array.from({ length: ROWS }, (_each, i) => `+55 11 9${50_000_000 + i * 37},Person ${i},City ${i % 50}`)
  const file = `phone,name,city\n${rows.join('\n')}\n`
  for (const round of ['first', 'second'] as const) {
    const wish = { instance_ids: [instance], name: 'Import', messages: [{ text: 'Hi {{city}}' }] }
    const { campaign_id: id } = (await api('POST', '/v1/campaigns', wish)).body
    const [before, cpuBefore] = [residentMiB(service.pid), cpuMicros(service.pid)]
    let peak = before
    const looking = setInterval(() => (peak = Math.max(peak, residentMiB(service.pid))), 10)
    const path = `/v1/campaigns/${id}/recipients/import`
    const { status, body } = await api('POST', path, file, { 'content-type': 'text/csv' })
    clearInterval(looking)
    // Time of the processor: on a busy machine it takes longer by the clock.
    const cpuSeconds = (cpuMicros(service.pid) - cpuBefore) / 1e6
    const more = peak - before
    process.stdout.write(`${round} import: ${cpuSeconds.toFixed(1)} s of CPU, ${more.toFixed(0)} MiB more\n`)
    expect([status, body.recipients.accepted]).toEqual([200, ROWS])
    expect(cpuSeconds, round).toBeLessThan(MOST_CPU_S * slowness())
    expect(more, round).toBeLessThan(MOST_MIB)
  }
})
