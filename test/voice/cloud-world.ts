import { systemClock } from '../../main/kernel/clock.ts'
import type { Log } from '../../main/kernel/log.ts'
import type { GraphSimulator } from '../../main/engines/sandbox/graph/index.ts'
import { testAgents, testVoiceProcess } from '../support/voice.ts'
import { world, type World } from '../support/world.ts'

export interface CallingNumber {
  readonly w: World
  readonly graph: GraphSimulator
  readonly id: string
  readonly phoneNumberId: string
}

/** A live official number at the simulated Meta that may call. */
export async function callingNumber(
  log: Log,
  change: Partial<NonNullable<Parameters<typeof world>[0]>> = {},
): Promise<CallingNumber> {
  let graph: GraphSimulator | undefined
  const w = await world({
    ...{ clock: systemClock, startVoice: testVoiceProcess, voiceAgents: testAgents(), log },
    // Trunks of tests are on loopback.
    settings: { graphBaseUrl: 'sandbox', network: 'live', trustedRanges: ['127.0.0.0/8'] },
    onGraph: (built) => (graph = built),
    ...change,
  })
  const { number, ...credentials } = (
    await w.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550200', messaging_limit: 'TIER_2K' })
  ).body
  const made = await w.instance({ engine: 'official' })
  await w.wire(
    'POST',
    new URL(made.onboarding_url).pathname,
    new URLSearchParams({ ...credentials, pin: '123456' }).toString(),
    {
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  )
  const record = (await w.api('GET', `/v1/instances/${made.id}`)).body
  if (record.connected !== true || graph === undefined) throw new Error(`${number} is not connected: ${record.status}`)
  await w.api('POST', `/v1/instances/${made.id}/voice/enable`)
  return { w, graph, id: made.id, phoneNumberId: credentials.phone_number_id }
}
