import { cpSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { newHome } from '../../support/restores.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'

const SECOND = 1_000
const PERSON = '12025550101'
const NUMBER = '12025550200'

/** The home as a process leaves it that is killed now. */
function imageOf(w: World): string {
  const image = newHome()
  cpSync(w.home, image, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return image
}

/** An instance of the real adapter, connected with a number of the simulated Meta. */
async function connected(w: World): Promise<string> {
  const made = await w.api('POST', '/v1/instances', { engine: 'official', network: 'live' })
  expect(made.status, made.text).toBe(201)
  const { body: number } = await w.api('POST', '/v1/sandbox/graph/numbers', { number: NUMBER })
  const page = await fetch(made.body.onboarding_url, { method: 'POST', body: new URLSearchParams(number) })
  expect(page.status).toBe(200)
  return made.body.id
}

const rowsOf = async (w: World, table: string) => (await w.rows(`SELECT 1 FROM ${table}`)).length

describe.each([
  ['that takes its time', [5 * SECOND, 10 * SECOND, 15 * SECOND, 20 * SECOND]],
  ['that confirms immediately', [0, 0, 15 * SECOND, 20 * SECOND]],
] as const)('the service is killed with a simulated Meta %s', (_, sandboxTimelineMs) => {
  test.each([
    ['a text', { text: 'Hello' }, 'read'],
    ['a text to a phone that is off', { text: 'Hello', isOff: true }, 'sent'],
  ])(
    'after the process was killed, the status of an accepted message is reported: %s',
    async (_what, { text, isOff }: any, status) => {
      const settings = { graphBaseUrl: 'sandbox', sandboxTimelineMs } as const
      const w = await world({ home: newHome(), settings })
      const id = await connected(w)
      // Free text reaches only those who wrote.
      await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: NUMBER, text: 'Hi' })
      await w.api('PATCH', `/v1/sandbox/phones/${PERSON}`, { online: isOff !== true })
      const headers = { 'idempotency-key': 'k' }
      const asked = w.api('POST', `/v1/instances/${id}/messages`, { to: PERSON, text }, { headers })
      // The first that is stored of it, before it is answered.
      await vi.waitFor(async () => expect(await rowsOf(w, 'sandbox_graph_sent')).toBe(1), { interval: 1 })
      const image = imageOf(w)
      await w.clock.advance(30 * SECOND)
      await asked
      await w.close()

      const after = await worldOfTest({ home: image, vault: w.vault, clock: w.clock, seed: 2, settings })
      const read = async () => (await after.api('GET', `/v1/instances/${id}/messages?idempotency_key=k`)).body.status
      // The adapter first says where it is called back now.
      await vi.waitFor(
        async () => {
          await after.clock.advance(SECOND)
          expect(await read()).toBe(status)
        },
        { timeout: 60_000 },
      )
      // The person has it once.
      const received = (await after.api('GET', `/v1/sandbox/phones/${PERSON}/messages`)).body.data
      expect(received).toHaveLength(isOff === true ? 0 : 1)
    },
  )
})
