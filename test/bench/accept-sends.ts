import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuMicros, residentMiB, startProgram, type Started } from './lib/processes.ts'
import { createKey, startService } from './lib/service.ts'
import { median, paired, printTable } from './lib/table.ts'

/**
 * Accepted sends per second over HTTP, beside programs that do the same durable work and nothing else.
 * All are alive at once and take turns in every round, in reversed order every second round.
 * The product: sandbox timeline 0, receipts none; one webhook, paused, so that every event's delivery is written and held.
 */
const CONNECTIONS = 64
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const SECONDS = Number(process.env['SECONDS'] ?? 2)
const BODY = { to: '12025550101', text: 'Hello, your order 12345 has left our warehouse and arrives tomorrow.' }

interface Contender {
  readonly name: string
  readonly program: Started
  readonly target: string
  readonly key: string
  readonly rounds: { perSecond: number; p99: number; cpu: number }[]
}

const here = (path: string) => join(import.meta.dirname, path)

async function reference(name: string, mode: string): Promise<Contender> {
  const key = 'a-key-of-the-reference-program'
  const program = await startProgram(here('reference/send-server.ts'), [mode, key], {})
  return {
    name,
    program,
    key,
    rounds: [],
    target: `${String(program.ready['url'])}/v1/instances/0b0e7a8e-6f0e-4a4e-9d53-1f6a1c2b3d4e/messages`,
  }
}

async function product(home: string): Promise<Contender> {
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'sandbox.timeline_ms': [0, 0, 0, 0] }))
  const { program, url } = await startService(home)
  const key = createKey(home)
  const instance = await pairedInstance(url, key)
  return { name: 'Switchboard', program, key, rounds: [], target: `${url}/v1/instances/${instance}/messages` }
}

async function pairedInstance(url: string, key: string): Promise<string> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  const { id: webhook } = await call('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/bench', events: ['*'] })
  await call('PATCH', `/v1/webhooks/${String(webhook)}`, { active: false })
  const { id } = await call('POST', '/v1/instances', { name: 'Bench' })
  await call('POST', '/v1/sandbox/phones', { number: '12025550100' })
  await call('POST', '/v1/sandbox/phones', { number: BODY.to })
  await call('PATCH', `/v1/sandbox/phones/${BODY.to}`, { receipts: 'none' })
  for (;;) {
    const { qr } = await call('GET', `/v1/instances/${String(id)}/qr`)
    if (typeof qr === 'string') {
      await call('POST', '/v1/sandbox/phones/12025550100/scan', { qr })
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  while ((await call('GET', `/v1/instances/${String(id)}/connection`))['connected'] !== true)
    await new Promise((resolve) => setTimeout(resolve, 50))
  return String(id)
}

async function load({ program, target, key, rounds }: Contender, seconds: number, counts = true): Promise<void> {
  const headers = JSON.stringify({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
  const before = cpuMicros(program.pid)
  const { ready, stop } = await startProgram(
    here('lib/load.ts'),
    [target, headers, JSON.stringify(BODY), String(CONNECTIONS), String(seconds)],
    {},
  )
  await stop()
  const { perSecond, p99, total, refused, errors } = ready as Record<string, number>
  if (refused || errors) throw new Error(`${target}: ${refused} refused, ${errors} errors`)
  if (counts)
    rounds.push({ perSecond: perSecond ?? 0, p99: p99 ?? 0, cpu: (cpuMicros(program.pid) - before) / (total ?? 1) })
}

export async function acceptSends(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'bench-product-'))
  const contenders = [
    await reference('5-stmt tx, sync=FULL', 'single'),
    await reference('5-stmt tx, group, sync=FULL', 'grouped'),
    await product(home),
  ]
  const [single, grouped, ours] = contenders
  const idleMiB = residentMiB(ours?.program.pid ?? 0)
  try {
    for (const contender of contenders) await load(contender, 2, false)
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) await load(contender, SECONDS)
    }
  } finally {
    for (const contender of contenders) await contender.program.stop()
    rmSync(home, { recursive: true, force: true })
  }
  const rate = (contender: Contender | undefined) => contender?.rounds.map(({ perSecond }) => perSecond) ?? []
  printTable(
    `Accepted sends, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, medians; ratios are medians of same-round ratios`,
    contenders.map((contender) => ({
      program: contender.name,
      'per second': median(rate(contender)),
      'p99 ms': median(contender.rounds.map(({ p99 }) => p99)),
      'CPU µs each': median(contender.rounds.map(({ cpu }) => cpu)),
      'of grouped': paired(rate(contender), rate(grouped)),
      'of single': paired(rate(contender), rate(single)),
    })),
  )
  console.log(`\nMemory of the idle service: ${idleMiB.toFixed(0)} MiB. Node ${process.version}.`)
}
