import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goal, type Report } from './lib/report.ts'
import { pairedLine } from './lib/sandbox-line.ts'
import { callerOf, createKey, startService, type Call } from './lib/service.ts'
import { median, paired } from './lib/table.ts'
import { phoneOf } from './lib/people.ts'
import { manyCampaigns } from './many-campaigns.ts'

/**
 * Sends per second of a campaign without delay, compared with plain sends over HTTP to as many people. Both send the
 * same messages from the same number, in turns.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const PEOPLE = Math.max(50, Math.round(Number(process.env['SECONDS'] ?? 2) * 1_000))
const CONNECTIONS = 32
const TEXT = 'Hello, your order 12345 has left our warehouse and arrives tomorrow.'
const LOOK_EVERY_MS = 5

export const campaigns = async (): Promise<Report[]> => [await besidePlainSends(), await manyCampaigns()]

async function besidePlainSends(): Promise<Report> {
  const home = mkdtempSync(join(tmpdir(), 'bench-campaigns-'))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'sandbox.timeline_ms': [0, 0, 0, 0] }))
  const { program, url } = await startService(home)
  try {
    const call = callerOf(url, createKey(home))
    const instance = await pairedLine(call)
    const plain: number[] = []
    const ours: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await sendPlainly(call, instance, peopleOf(2 * round)))
      ours.push(await sendAsCampaign(call, instance, peopleOf(2 * round + 1)))
    }
    return {
      title: `Campaign sends without delay: ${PEOPLE.toLocaleString('en-US')} people a round, ${ROUNDS} rounds, medians; ratios are medians of same-round ratios`,
      rows: [
        { program: `POST …/messages, ${CONNECTIONS} connections`, 'per second': median(plain), 'of plain sends': 1 },
        { program: 'campaign', 'per second': median(ours), 'of plain sends': paired(ours, plain) },
      ],
      goals: [goal('campaign sends, of plain sends', paired(ours, plain), 'at least', 0.7)],
    }
  } finally {
    await program.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** The people of one round. */
const peopleOf = (round: number): string[] => Array.from({ length: PEOPLE }, (_, i) => phoneOf(round * PEOPLE + i))

async function sendPlainly(call: Call, instance: string, people: readonly string[]): Promise<number> {
  const waiting = [...people]
  const startedAt = performance.now()
  const connection = async () => {
    for (let to = waiting.pop(); to !== undefined; to = waiting.pop())
      await call('POST', `/v1/instances/${instance}/messages`, { to, text: TEXT })
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return perSecond(people.length, startedAt)
}

async function sendAsCampaign(call: Call, instance: string, people: readonly string[]): Promise<number> {
  const { campaign_id: id } = await call('POST', '/v1/campaigns', {
    ...{ instance_ids: [instance], name: 'Bench', messages: [{ text: TEXT }] },
    recipients: people.map((phone) => ({ phone })),
    config: { minDelay: 0, maxDelay: 0, checkNumbers: false },
  })
  const startedAt = performance.now()
  await call('POST', `/v1/campaigns/${String(id)}/start`)
  while ((await call('GET', `/v1/campaigns/${String(id)}`))['status'] !== 'completed')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  return perSecond(people.length, startedAt)
}

const perSecond = (count: number, startedAt: number): number => (1_000 * count) / (performance.now() - startedAt)
