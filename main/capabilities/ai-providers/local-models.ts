import type { AccountId } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'
import { ask, modelNamesIn } from './ask.ts'
import type { LocalServer } from './contract.ts'
import { MODEL_HOST, type Ways } from './ways.ts'

const SERVERS = [
  { kind: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { kind: 'lm_studio', baseUrl: 'http://127.0.0.1:1234/v1' },
] as const
const TIMEOUT_MS = 2_000

/** Looks for model servers on their usual ports. Runs only when a person asks for it. */
export async function findLocalModels(ways: Ways, accountId: AccountId): Promise<LocalServer[]> {
  const simulatorKey = (baseUrl: string) => new Secret(ways.simulatorKey(baseUrl, accountId) ?? '')
  const simulated = `https://${MODEL_HOST}/v1`
  const places = [
    ...SERVERS.map(({ kind, baseUrl }) => ({ kind, baseUrl, way: ways.localWay(baseUrl), key: null })),
    ...(ways.hasSimulator()
      ? [
          {
            kind: 'sandbox' as const,
            baseUrl: simulated,
            way: ways.to(simulated, { byOperator: false }),
            key: simulatorKey(simulated),
          },
        ]
      : []),
  ]
  const found = await Promise.all(
    places.map(async ({ kind, baseUrl, way, key }) => {
      try {
        const asked = { provider: 'custom', way, key, path: '/models', accountId, timeoutMs: TIMEOUT_MS } as const
        return { kind, base_url: baseUrl, models: modelNamesIn(await ask(asked)) }
      } catch {
        // Nothing listens there, or another program does.
        return undefined
      }
    }),
  )
  return found.filter((server) => server !== undefined)
}
