import { afterAll, beforeAll, expect } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { world, type World, type WorldOptions } from '../../support/world.ts'

/** An instance of its own in the world of the file, and a person who writes to it. */
export interface AiLine {
  readonly w: World
  readonly instanceId: string
  readonly number: string
  readonly person: string
  /** Calls an operation below /v1/instances/{id}/ai and expects it to succeed. */
  ai(method: string, path: string, body?: object): Promise<any>
  /** As the window. */
  inWindow(method: string, path: string, body?: object): Promise<any>
  /** A person writes to the instance. */
  write(text: string, from?: string): Promise<void>
  /** What the person's phone has received, oldest first. */
  heard(from?: string): Promise<string[]>
  conversation(from?: string): Promise<any>
  /** Oldest first. */
  turns(): Promise<any[]>
  /** Writes, lets the debounce pass, and returns what came back. */
  ask(text: string, from?: string): Promise<string[]>
  /** Moves the wall clock at once, and lets what became due happen. */
  jump(ms: number): Promise<void>
}

export interface LineOptions {
  readonly agent?: object | null
  readonly settings?: object
  readonly engine?: 'smv2' | 'official'
  readonly faq?: readonly (readonly [string, string])[]
  readonly person?: string
}

export const HOURS = 'Abrimos de segunda a sexta, das 8h às 18h.'
export const FAQ = [
  ['Qual é o horário de funcionamento?', HOURS],
  ['Vocês aceitam cartão de crédito?', 'Sim, aceitamos todos os cartões em até 3 vezes.'],
  ['Onde fica a loja?', 'Ficamos na Rua das Flores, 123, no centro.'],
] as const

/** `09:30`, in UTC. */
export const clockAt = (ms: number): string => new Date(ms).toISOString().slice(11, 16)

/** Of all worlds in this process. */
let people = 0

/** One world for all tests of a file, since starting one takes longer than most of them. */
export function aiWorld(options: WorldOptions = {}) {
  let w: World
  beforeAll(async () => {
    w = await world(options)
  })
  afterAll(() => w.close())
  return {
    get world() {
      return w
    },
    line: (wish: LineOptions = {}) => lineIn(w, wish),
  }
}

export async function lineIn(w: World, options: LineOptions = {}): Promise<AiLine> {
  const { agent = { name: 'Recepção', provider: 'builtin' }, settings = {}, engine = 'smv2', faq = FAQ } = options
  const { id, phone_number: number } = engine === 'smv2' ? await w.pair() : await w.official()
  // Ends in 1: the sandbox refuses or delays numbers with some endings (`simulated-outcomes.ts`), and none of those is 1.
  const person = options.person ?? `55119${String(81_000_001 + people++ * 10)}`
  const call =
    (ask: World['api'] | ReturnType<typeof asConsole>) => async (method: string, path: string, body?: object) => {
      const answer = await ask(method, `/v1/instances/${id}/ai/${path}`, body)
      expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
      return answer.body
    }
  const ai = call(w.api)
  for (const [question, answer] of faq) await ai('POST', 'faq', { question, answer })
  if (agent !== null) await ai('POST', 'agents', agent)
  await ai('PATCH', 'settings', { enabled: true, timezone: 'America/Sao_Paulo', ...settings })
  await w.api('POST', '/v1/sandbox/phones', { number: person })

  const heard = async (from = person) => {
    const { body } = await w.api('GET', `/v1/sandbox/phones/${from}/messages?limit=200`)
    return body.data.toReversed().map((message: any) => message.text || `[${message.type}]`)
  }
  const write = async (text: string, from = person) => {
    const sent = await w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to: number, text })
    expect(sent.status, sent.text).toBeLessThan(300)
    await w.quiet()
  }
  return {
    ...{ w, instanceId: id, number, person, ai, inWindow: call(asConsole(w)), heard, write },
    conversation: (from = person) => ai('GET', `conversations/${from}`),
    turns: () => w.rows('SELECT * FROM ai_turns WHERE instance_id = :id ORDER BY seq', { id }),
    async ask(text, from = person) {
      await w.api('POST', '/v1/sandbox/phones', { number: from })
      const before = (await heard(from)).length
      await write(text, from)
      await w.pass(7_000)
      return (await heard(from)).slice(before)
    },
    async jump(ms) {
      w.clock.suspend(ms)
      await w.pass(2_000)
    },
  }
}
