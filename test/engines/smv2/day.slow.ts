import { expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { fakeClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'
import { pause, until } from '../../support/service-process.ts'
import type { Ending } from '../../support/whatsapp/index.ts'
import { lineWorld } from './line-world.ts'

/**
 * A day of many lines on a network with trouble: the engine's time is simulated, sockets and the client library are
 * real. `DAY_SEED=7 DAY_LINES=50 DAY_HOURS=24` repeats or lengthens a run.
 */
const SEED = Number(process.env['DAY_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const LINES = Number(process.env['DAY_LINES'] ?? 6)
const HOURS = Number(process.env['DAY_HOURS'] ?? 3)
/** Below the time after which a silent link is given up. */
const STEP_MS = 40_000
const STEPS_PER_HOUR = 90
const PAIRED_AT_ONCE = 4
/** A connection that is under way gets this much real time in a step. */
const OPENING_MS = 1_500
const ANA = '12025551801'
const ENDINGS: readonly Ending[] = [
  ...(['dropped', 'unavailable', 'stream_end', 'codeless', 'restart', 'replaced', 'bad_session'] as const),
]

interface Line {
  readonly instance: EngineInstance
  readonly number: string
}

/** Two real seconds for each simulated hour of a line is far more than it needs. */
const PATIENCE_MS = Math.max(400_000, HOURS * LINES * 2_000)

test(`${HOURS} hours of ${LINES} lines, seed ${SEED}`, { timeout: PATIENCE_MS }, async () => {
  const random = seededRandom(SEED)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.fraction() * from.length)] as T
  const chance = (of: number) => random.fraction() < of
  const time = fakeClock()
  const world = await lineWorld({ time })
  const { whatsapp } = world
  const ana = whatsapp.phone(ANA)
  const device = ({ number }: Line) => whatsapp.phone(number).device

  const lines: Line[] = []
  const paired = new AbortController()
  const ticking = (async () => {
    while (!paired.signal.aborted) {
      await time.advance(50)
      await pause(2)
    }
  })()
  const numbers = Array.from({ length: LINES }, (_, i) => `1202558${String(i).padStart(4, '0')}`)
  const lane = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const instance = world.instance()
      await world.smv2.engine.start(instance)
      const text = async () => (await world.smv2.engine.pairing?.current(instance))?.text ?? undefined
      await whatsapp.phone(number).scan(await until('a QR code', text, 60_000))
      await until('connected', () => world.of(instance, 'connected')[0], 60_000)
      lines.push({ instance, number })
    }
  }
  await Promise.all(Array.from({ length: PAIRED_AT_ONCE }, lane))
  paired.abort()
  await ticking

  /** What the engine says of a line that is down: it waits, and until when. */
  const lost = ({ instance }: Line) => {
    const last = world.told(instance).findLast(({ kind }) => kind === 'connected' || kind === 'link_lost')
    return last?.kind === 'link_lost' ? last : undefined
  }
  const isUp = (line: Line) => device(line).isOnline
  /** Nothing real is under way: it is up, or waits for a time that has not come. */
  const isSettled = (line: Line) => isUp(line) || (lost(line)?.nextRetryAtMs ?? 0) > time.now()

  async function step(hasNetwork: boolean): Promise<void> {
    for (const line of lines) if (isUp(line)) device(line).beat()
    await pause(4)
    const deadline = performance.now() + (hasNetwork ? OPENING_MS : 50)
    while (performance.now() < deadline && !lines.every(isSettled)) {
      // The queue of connections, and waits of the library that are the engine's.
      await time.advance(25)
      await pause(5)
    }
    await time.advance(STEP_MS)
  }

  const said: { line: Line; text: string }[] = []
  const sent: { line: Line; text: string; kind: Promise<string> }[] = []
  async function talk(hour: number): Promise<void> {
    for (let i = 0; i < Math.ceil(LINES / 5); i++) {
      const line = pick(lines)
      const text = `${hour}.${i} in`
      await ana.say(line.number, text)
      said.push({ line, text })
      const out = `${hour}.${i} out ${line.number}`
      const { outcome } = world.sending(line.instance, { to: ANA, text: out }, 3_000)
      sent.push({ line, text: out, kind: outcome.then(({ kind }) => kind) })
    }
  }

  for (let hour = 0; hour < HOURS; hour++) {
    const isCalm = hour === HOURS - 1
    /** A network that nobody reaches, or a version that it refuses: in steps. */
    let outage = 0
    for (let at = 0; at < STEPS_PER_HOUR; at++) {
      if (at === 10 && !isCalm) {
        for (const line of lines) if (chance(0.12)) device(line).end(pick(ENDINGS))
        const frozen = lines.filter(() => chance(0.04))
        frozen.forEach((line) => device(line).freeze())
        if (chance(0.2)) await world.restartAll(lines.map(({ instance }) => instance))
        if (chance(0.25)) {
          outage = 15
          const kind = pick(['status', 'no_hello', 'garbage_hello', 'version'] as const)
          if (kind === 'version') whatsapp.faults.demandVersion(2_000_000_000)
          else whatsapp.faults.onArrival(kind === 'status' ? { kind, status: 503 } : { kind })
          for (const line of lines) if (chance(0.3)) device(line).end('dropped')
        }
      }
      if (outage > 0 && --outage === 0) {
        whatsapp.faults.onArrival(null)
        whatsapp.faults.demandVersion(0)
      }
      if (at === 30) await talk(hour)
      await step(outage === 0)
    }
  }
  await until('all sends', async () => Promise.all(sent.map(({ kind }) => kind)).then(() => true))

  const down = lines.filter((line) => !isUp(line))
  for (const line of down) {
    const why = lost(line)
    expect(why?.reason, line.number).toMatch(
      /^(replaced|client_outdated|bad_session|connection_lost|network_unavailable|link_silent)$/,
    )
    expect(why?.nextRetryAtMs ?? 0, line.number).toBeGreaterThan(time.now())
    expect(['replaced', 'client_outdated'], line.number).toContain(why?.reason)
  }
  expect(world.data.raw.prepare('SELECT count(*) AS rows FROM smv2_sessions WHERE ended = 0').get()).toEqual({
    rows: LINES,
  })

  const kinds = new Map<string, string>(
    await Promise.all(sent.map(async ({ text, kind }) => [text, await kind] as const)),
  )
  const arrived = Map.groupBy(ana.received(), ({ text }) => text ?? '')
  for (const [text, kind] of kinds) {
    const times = arrived.get(text)?.reduce((sum, one) => sum + one.times, 0) ?? 0
    if (kind === 'accepted') expect(times, text).toBe(1)
    else expect(times, text).toBeLessThanOrEqual(kind === 'unknown' ? 1 : 0)
  }
  expect([...kinds.values()].filter((kind) => kind === 'accepted').length).toBeGreaterThan(sent.length / 2)
  for (const { line, text } of said) {
    if (!isUp(line)) continue
    const told = world.of(line.instance, 'received').filter((one) => one.text === text)
    // The rooms ignore what is told again under the same id.
    expect(new Set(told.map(({ engineMessageId }) => engineMessageId)).size, `${line.number}: ${text}`).toBe(1)
  }
  await world.close()
})
