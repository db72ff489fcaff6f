import { expect } from 'vitest'
import { worldOfTest, type World, type WorldOptions } from '../../support/world.ts'

export const PERSON = '5511912340001'

/** A world with a paired instance whose agent answers from its FAQ. */
export interface AiWorld extends World {
  readonly instanceId: string
  readonly number: string
  /** Calls an operation below /v1/instances/{id}/ai and expects it to succeed. */
  ai(method: string, path: string, body?: object): Promise<any>
  /** A person writes to the instance. */
  write(text: string, from?: string): Promise<void>
  /** What the person's phone has received, oldest first. */
  heard(from?: string): Promise<string[]>
  conversation(from?: string): Promise<any>
  /** Rows of turns, oldest first. */
  turns(): Promise<any[]>
  /** Writes, lets the debounce pass, and returns what came back. */
  ask(text: string, from?: string): Promise<string[]>
}

export const FAQ = [
  ['Qual é o horário de funcionamento?', 'Abrimos de segunda a sexta, das 8h às 18h.'],
  ['Vocês aceitam cartão de crédito?', 'Sim, aceitamos todos os cartões em até 3 vezes.'],
  ['Onde fica a loja?', 'Ficamos na Rua das Flores, 123, no centro.'],
] as const

interface AiOptions extends WorldOptions {
  readonly agent?: object | null
  readonly aiSettings?: object
  readonly engine?: 'smv2' | 'official'
}

export async function aiWorld(options: AiOptions = {}): Promise<AiWorld> {
  const { agent = { name: 'Recepção', provider: 'builtin' }, aiSettings = {}, engine = 'smv2', ...rest } = options
  const w = await worldOfTest(rest)
  const instance = engine === 'smv2' ? await w.pair() : await w.official()
  const { id, phone_number: number } = instance
  const ai: AiWorld['ai'] = async (method, path, body) => {
    const answer = await w.api(method, `/v1/instances/${id}/ai/${path}`, body)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  for (const [question, answer] of FAQ) await ai('POST', 'faq', { question, answer })
  if (agent !== null) await ai('POST', 'agents', agent)
  await ai('PATCH', 'settings', { enabled: true, timezone: 'America/Sao_Paulo', ...aiSettings })
  const heard = async (from = PERSON) => {
    const { body } = await w.api('GET', `/v1/sandbox/phones/${from}/messages?limit=200`)
    return body.data.toReversed().map((message: any) => message.text || `[${message.type}]`)
  }
  const write = async (text: string, from = PERSON) => {
    const sent = await w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to: number, text })
    expect(sent.status, sent.text).toBeLessThan(300)
    await w.quiet()
  }
  return {
    ...w,
    ...{ instanceId: id, number, ai, heard, write },
    conversation: (from = PERSON) => ai('GET', `conversations/${from}`),
    turns: () => w.rows('SELECT * FROM ai_turns ORDER BY seq'),
    async ask(text, from = PERSON) {
      await w.api('POST', `/v1/sandbox/phones`, { number: from })
      const before = (await heard(from)).length
      await write(text, from)
      await w.pass(7_000)
      return (await heard(from)).slice(before)
    },
  }
}
