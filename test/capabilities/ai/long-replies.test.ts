import { afterAll, beforeAll, expect, test } from 'vitest'
import { asksForMore, isYes } from '../../../main/capabilities/ai/texts.ts'
import { settle } from '../../support/clock.ts'
import { aiBench, sure } from './ai-bench.ts'

type Bench = Awaited<ReturnType<typeof aiBench>>

/** About 100 characters for each of them. */
const long = (paragraphs: number): string =>
  Array.from(
    { length: paragraphs },
    (_, at) => `Item ${at}: ${'we deliver the order to your door. '.repeat(3).trim()}`,
  ).join('\n\n')
const OFFER = 'Shall I go on?'
const itemsIn = (texts: readonly string[]): number[] =>
  Array.from(texts.join('\n').matchAll(/Item (\d+):/g), ([, at]) => Number(at))
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

let smv2: Bench
let official: Bench
beforeAll(async () => {
  smv2 = await aiBench()
  official = await aiBench({ engine: 'official' })
  for (const bench of [smv2, official]) await bench.agent()
})
afterAll(async () => {
  await smv2.close()
  await official.close()
})

let chats = 0
const newChat = () => String(12_025_560_000 + chats++)

/** @returns what came back. */
async function ask(bench: Bench, chat: string, text: string): Promise<string[]> {
  const before = bench.texts(chat).length
  await bench.receive(chat, text)
  await bench.pass(5)
  return bench.texts(chat).slice(before)
}

test('Markdown of a model is converted to the network’s formatting', async () => {
  smv2.model = () => sure('## Prices\n\n* **Bread**: *today* R$ 1\n* [Menu](https://x.com/m_1)')
  expect(await ask(smv2, newChat(), 'What do you have?')).toEqual([
    '*Prices*\n\n- *Bread*: _today_ R$ 1\n- Menu: https://x.com/m_1',
  ])
})

test('an answer too long for one message is sent in parts, none of them cut off', async () => {
  smv2.model = () => sure(long(60))
  const said = await ask(smv2, newChat(), 'Tell me about the orders')
  expect(said.length).toBe(3)
  expect(itemsIn(said)).toEqual(upTo(60))
  for (const text of said) expect(text.length).toBeLessThanOrEqual(3_000)
  expect(said.join()).not.toContain(OFFER)
})

test('official sends as few messages as possible, since each is charged', async () => {
  official.model = () => sure(long(60))
  const said = await ask(official, newChat(), 'Tell me about the orders')
  expect(said.length).toBe(2)
  expect(itemsIn(said)).toEqual(upTo(60))
  for (const text of said) expect(text.length).toBeLessThanOrEqual(4_096)
})

test.each(['yes', 'ok', '👍', 'Yes, please!'])(
  'after three messages it asks whether to continue, and %j gets the rest without the model',
  async (yes) => {
    smv2.model = () => sure(long(140))
    const chat = newChat()
    const first = await ask(smv2, chat, 'Tell me about the orders')
    expect(first.length).toBe(3)
    expect(first.map((text) => text.includes(OFFER))).toEqual([false, false, true])
    const asked = smv2.prompts.length
    const rest = await ask(smv2, chat, yes)
    expect(smv2.prompts.length).toBe(asked)
    expect(itemsIn([...first, ...rest])).toEqual(upTo(140))
    expect(rest.join()).not.toContain(OFFER)
    // It is said once.
    smv2.model = () => sure('You are welcome.')
    expect(await ask(smv2, chat, yes)).toEqual(['You are welcome.'])
  },
)

test('another question is answered, and the rest is still sent on request', async () => {
  smv2.model = () => sure(long(140))
  const chat = newChat()
  const first = await ask(smv2, chat, 'Tell me about the orders')
  smv2.model = () => sure('Yes, we take cards.')
  expect(await ask(smv2, chat, 'Do you take cards?')).toEqual(['Yes, we take cards.'])
  // A yes answers the last question, which was another one.
  expect(await ask(smv2, chat, 'ok')).toEqual(['Yes, we take cards.'])
  expect(itemsIn([...first, ...(await ask(smv2, chat, 'Go on please'))])).toEqual(upTo(140))
})

test('a person who takes over discards it', async () => {
  smv2.model = () => sure(long(140))
  const chat = newChat()
  await ask(smv2, chat, 'Tell me about the orders')
  await smv2.person(chat)
  await smv2.process().ai.conversations.resume(smv2.process().subject, chat)
  smv2.model = () => sure('Hello.')
  expect(await ask(smv2, chat, 'go on')).toEqual(['Hello.'])
})

/** The network does not answer the send of this part, which has arrived nevertheless or has not. */
async function loseAnswerTo(bench: Bench, lost: number): Promise<void> {
  const { ApiError } = await import('../../../main/contract/errors.ts')
  let sends = 0
  bench.onSend = async () =>
    ++sends === lost ? { kind: 'unknown', error: new ApiError('upstream_timeout', 'Unknown.') } : undefined
}

test.each([
  ['first', 1, []],
  ['second', 2, ['Item 0:']],
])(
  'when it is not known whether the %s of three parts was sent, the rest waits for a person',
  async (_, lost, begins) => {
    smv2.model = () => sure(long(60))
    const chat = newChat()
    await loseAnswerTo(smv2, lost)
    const said = await ask(smv2, chat, 'Tell me about the orders')
    await smv2.pass(30)
    smv2.onSend = async () => undefined
    expect(smv2.texts(chat).map((text) => text.slice(0, 7))).toEqual(begins)
    expect(said).toEqual(smv2.texts(chat))
    expect((await smv2.conversation(chat)).handoff).toMatchObject({ reason: 'partly_sent', detail: `${lost}/3` })
    expect(smv2.turns().at(-1)).toMatchObject({ state: 'handed_over', sent_parts: lost - 1 })
    expect(await ask(smv2, chat, 'go on')).toEqual([])
  },
)

test('an unknown last part counts as an answer once the network confirms that part, and not another', async () => {
  smv2.model = () => sure(long(60))
  const chat = newChat()
  await loseAnswerTo(smv2, 3)
  const said = await ask(smv2, chat, 'Tell me about the orders')
  smv2.onSend = async () => undefined
  expect(said.length).toBe(2)
  const turn = () => smv2.turns().at(-1)
  expect(turn()).toMatchObject({ state: 'unknown', reason: 'outcome_unknown', sent_parts: 2 })
  const { seq: turnSeq } = turn()
  const sentOf = (part: number) =>
    smv2.process().tell('message.sent', { chat, source: 'ai' }, { kind: 'agent', turnSeq, part })
  for (const part of [0, 1]) await sentOf(part)
  expect(turn()).toMatchObject({ state: 'unknown' })
  await sentOf(2)
  expect(turn()).toMatchObject({ state: 'answered' })
})

test('a person who takes over between two parts stops the others', async () => {
  smv2.model = () => sure(long(140))
  const chat = newChat()
  let sends = 0
  smv2.onSend = async () => {
    if (++sends === 2) await smv2.person(chat)
    return undefined
  }
  const said = await ask(smv2, chat, 'Tell me about the orders')
  smv2.onSend = async () => undefined
  expect(said.length).toBe(2)
  await smv2.process().ai.conversations.resume(smv2.process().subject, chat)
  smv2.model = () => sure('Hello.')
  expect(await ask(smv2, chat, 'go on')).toEqual(['Hello.'])
})

test('a handoff sends the whole text, without a question', async () => {
  smv2.model = () => sure(long(140), { needs_person: true })
  const chat = newChat()
  const said = await ask(smv2, chat, 'Tell me about the orders')
  expect(itemsIn(said)).toEqual(upTo(140))
  expect(said.join()).not.toContain(OFFER)
  expect(await ask(smv2, chat, 'yes')).toEqual([])
})

test('an answer longer than any message counts as a bad answer of the model', async () => {
  smv2.model = () => sure('a'.repeat(70_000))
  const chat = newChat()
  const said = await ask(smv2, chat, 'Tell me about the orders')
  await smv2.pass(5)
  expect((await smv2.conversation(chat)).handoff?.reason).toBe('bad_model_output')
  expect([...said, ...smv2.texts(chat)].join('').length).toBeLessThan(1_000)
})

test.each(['sim', 'pode mandar', 'Sim, por favor', 'sí', 'dale', 'ok', 'claro', 'yes please', '👍🏽'])(
  '%j is a yes',
  (text) => {
    expect(isYes(text)).toBe(true)
  },
)

test.each([
  'continua',
  'pode continuar?',
  'quero o resto',
  'manda mais',
  'sigue por favor',
  'go on',
  'Keep going!',
  'más',
  'e o resto?',
])('%j asks for more', (text) => {
  expect(asksForMore(text)).toBe(true)
})

test.each([
  'não',
  'no',
  'ok, mas quanto custa?',
  'mais barato',
  'obrigado',
  'quero comprar mais pães',
  'stop',
  'sim senhor delegado',
])('%j asks for something else', (text) => {
  expect(asksForMore(text) || isYes(text)).toBe(false)
})

/** A turn of three parts whose process is killed at this commit, and taken up by another one. */
async function killAt(bench: Bench, atCommit: number, isWritten: boolean): Promise<boolean> {
  const chat = newChat()
  await bench.restart({ atCommit, isWritten })
  await bench.receive(chat, 'Tell me about the orders')
  for (let i = 0; i < 10 && !bench.process().isDead(); i++) await bench.pass(1)
  const wasKilled = bench.process().isDead()
  await settle()
  await bench.restart()
  for (let i = 0; i < 30 && bench.turns().at(-1).ended_at === null; i++) await bench.pass(1)
  const { state } = bench.turns().at(-1)
  const items = itemsIn(bench.texts(chat))
  const label = `${state} after a kill at commit ${atCommit}, ${isWritten ? 'written' : 'not written'}`
  expect(items, `in order and once, ${label}`).toEqual(upTo(items.length))
  if (state === 'answered') expect(items.length, label).toBe(60)
  else expect(['unknown', 'handed_over'], label).toContain(state)
  return wasKilled
}

test('a process killed at any commit sends the parts once and in order', async () => {
  const bench = await aiBench()
  await bench.agent()
  bench.model = () => sure(long(60))
  let kills = 0
  let isOver = false
  for (let atCommit = 1; !isOver; atCommit++) {
    isOver = true
    for (const isWritten of [false, true]) {
      if (!(await killAt(bench, atCommit, isWritten))) continue
      isOver = false
      kills++
    }
  }
  expect(kills).toBeGreaterThan(20)
  await bench.close()
})
