import type { ConversationalSettings } from '../conversational-components.ts'
import type { EngineInstance } from '../engine.ts'
import type { GraphCall, GraphClient } from './graph-client.ts'
import { recordAt, recordsAt, textAt } from './json.ts'
import type { ConnectedNumber } from './numbers.ts'
import type { GraphCredentials, NotOk } from './transport.ts'

interface Deps {
  readonly client: Pick<GraphClient, 'ask'>
  readonly connected: (instance: EngineInstance) => { number: ConnectedNumber; speaker: GraphCredentials }
  readonly refusal: (reply: NotOk) => Error
}

const FIELD = 'conversational_automation'

/** The ice breakers and commands of a business number at Meta ("Conversational components"). */
export function createConversationalSettings({ client, connected, refusal }: Deps): ConversationalSettings {
  async function ask(instance: EngineInstance, call: Pick<GraphCall, 'method' | 'query' | 'body'>, edge = '') {
    const { number, speaker } = connected(instance)
    const { accessToken: token, accountId, version } = speaker
    const reply = await client.ask({ ...call, path: `${number.phoneNumberId}${edge}`, token, accountId, version })
    if (reply.kind === 'ok') return reply.body
    throw refusal(reply)
  }

  return {
    async read(instance) {
      const body = recordAt(await ask(instance, { method: 'GET', query: { fields: FIELD } }), FIELD)
      const { prompts } = body
      return {
        iceBreakers: Array.isArray(prompts) ? prompts.filter((prompt) => typeof prompt === 'string') : [],
        commands: recordsAt(body, 'commands').map((command) => ({
          name: textAt(command, 'command_name') ?? '',
          hint: textAt(command, 'command_description') ?? '',
        })),
      }
    },
    async set(instance, { iceBreakers, commands }) {
      const wish = {
        prompts: iceBreakers,
        commands: commands.map(({ name, hint }) => ({ command_name: name, command_description: hint })),
      }
      const body = { type: 'application/json', bytes: Buffer.from(JSON.stringify(wish)) }
      await ask(instance, { method: 'POST', body }, `/${FIELD}`)
    },
  }
}
