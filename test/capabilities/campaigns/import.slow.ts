import { expect, test } from 'vitest'
import { worldOfTest } from '../../support/world.ts'

const ROWS = 100_000
const MB = 1_000_000

test('a file of 100,000 rows is imported in seconds, and in little memory', async () => {
  const w = await worldOfTest()
  const { id: instance } = await w.pair()
  const draft = async (): Promise<string> => {
    const wish = { instance_ids: [instance], name: 'Import', messages: [{ text: 'Hi {{city}}' }] }
    return (await w.api('POST', '/v1/campaigns', wish)).body.campaign_id
  }
  const rows = Array.from({ length: ROWS }, (_each, i) => `+55 11 9${50_000_000 + i * 37},Person ${i},City ${i % 50}`)
  const file = Buffer.from(`phone,name,city\n${rows.join('\n')}\n`)
  const headers = { 'content-type': 'text/csv' }
  // The first time, code and caches are loaded.
  for (const round of ['cold', 'warm']) {
    const id = await draft()
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let peak = before
    const looking = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10)
    const cpu = process.cpuUsage()
    const { status, body } = await w.api('POST', `/v1/campaigns/${id}/recipients/import`, file, { headers })
    const { user, system } = process.cpuUsage(cpu)
    clearInterval(looking)
    expect([status, body.recipients.accepted]).toEqual([200, ROWS])
    // Time of the processor: on a busy machine it takes longer by the clock.
    expect((user + system) / 1_000, round).toBeLessThan(5_000)
    if (round === 'warm') expect((peak - before) / MB).toBeLessThan(100)
  }
})
