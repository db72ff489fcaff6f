import { join } from 'node:path'
import { startPeer } from './lib/peer.ts'
import { cpuOfAll } from './lib/processes.ts'
import type { Report } from './lib/report.ts'
import { inRounds } from './lib/rounds.ts'
import { BULLMQ, openPlace, REFERENCE, startSenders, type Sender } from './lib/senders.ts'
import { median, paired } from './lib/table.ts'

/**
 * Enqueueing: stores an event and its delivery durably for 64 callers in parallel. It is compared with the same
 * programs as the deliveries.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const EVENTS = Number(process.env['DELIVERIES'] ?? 12_000)
const TOGETHER = 64

interface Round {
  readonly perSecond: number
  readonly cpu: number
}

export async function enqueue(): Promise<Report[]> {
  const place = await openPlace()
  const ours = await startPeer(join(import.meta.dirname, 'lib/enqueue-child.ts'), {})
  const senders: Sender[] = [
    { ...ours, name: 'Switchboard, ledger and webhooks room', pids: () => [ours.pid] },
    ...(await startSenders(place, TOGETHER)),
  ]
  const found = senders.map((sender) => ({ sender, rounds: [] as Round[] }))
  try {
    for (const { sender } of found) await round(sender)
    await inRounds(ROUNDS, found, async ({ sender, rounds }) => void rounds.push(await round(sender)))
  } finally {
    for (const sender of senders) await sender.stop()
    await place.close()
  }
  const rates = (name: string) =>
    (found.find(({ sender }) => sender.name === name)?.rounds ?? []).map(({ perSecond }) => perSecond)
  return [
    {
      title: `Enqueueing, ${TOGETHER} callers at a time, ${EVENTS} events in each of ${ROUNDS} rounds, medians; ratios are medians of same-round ratios`,
      rows: found.map(({ sender: { name }, rounds }) => ({
        program: name,
        'per second': median(rates(name)),
        'CPU µs each, with its store': median(rounds.map(({ cpu }) => cpu)),
        'rate of the pipeline': paired(rates(name), rates(REFERENCE)),
        ...(place.redis && { 'rate of BullMQ': paired(rates(name), rates(BULLMQ)) }),
      })),
      ...(place.missing.length > 0 && { notes: [`Not measured beside: ${place.missing.join(', ')}.`] }),
    },
  ]
}

async function round(sender: Sender): Promise<Round> {
  const [before, begun] = [cpuOfAll(sender.pids()), performance.now()]
  await sender.ask('load', { count: EVENTS, together: TOGETHER })
  const ms = performance.now() - begun
  return { perSecond: (EVENTS * 1000) / ms, cpu: (cpuOfAll(sender.pids()) - before) / EVENTS }
}
