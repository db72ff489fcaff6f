import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { asConsole } from '../../support/console.ts'
import type { Reply, World } from '../../support/world.ts'

export type Era = 'modern' | 'legacy'

/** A tool's answer, in short. */
interface Told {
  /** undefined: it worked. */
  readonly code: string | undefined
  readonly words: string
  readonly body: Reply['body']
}

export interface Assistant {
  readonly client: Client
  readonly keyId: string
  readonly key: string
  /** Questions that its person was asked by the client itself. */
  readonly asked: string[]
  call(tool: string, given: object): Promise<Told>
  /** A call that must wait for approval. @returns the id of the approval */
  callAndWait(tool: string, given: object): Promise<string>
}

/** An assistant with a key of its own, whose client can ask its person and always gets a yes. */
export async function assistantOf(w: World, approval: string, era: Era = 'modern', key?: string): Promise<Assistant> {
  const wish = { name: 'Assistant', scopes: ['instances:write', 'messages:send', 'webhooks:write'], approval }
  const made = key === undefined ? (await asConsole(w)('POST', '/v1/keys', wish)).body : { id: '', key }
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  )
  const asked: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { confirm: true } }
  })
  const headers = { authorization: `Bearer ${made.key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${w.service.url}/mcp`), { requestInit: { headers } }))
  onTestFinished(() => client.close())

  const call: Assistant['call'] = async (name, given) => {
    const answer = await client.callTool({ name, arguments: { ...given } })
    const body: Told['body'] = answer.structuredContent ?? {}
    const words = (answer.content as { text: string }[]).map(({ text }) => text).join('\n')
    return { code: answer.isError === true ? body['error'].code : undefined, words, body }
  }
  return {
    ...{ client, keyId: made.id, key: made.key, asked, call },
    async callAndWait(tool, given) {
      const { code, words } = await call(tool, given)
      expect([code, words]).toEqual(['invalid_state', expect.stringContaining('Approval pending')])
      return /apr_\w+/.exec(words)?.[0] ?? ''
    },
  }
}
