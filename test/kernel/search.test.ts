import { describe, expect, test } from 'vitest'
import { buildSearchIndex, createSearchIndex, fold, wordsOf, type SearchEntry } from '../../main/kernel/search/index.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { shortestOf, slowness } from '../support/loop-stretch.ts'

const FAQ: SearchEntry[] = [
  { id: 'hours', question: 'Qual é o horário de funcionamento?', answer: 'Das 9h às 18h.' },
  { id: 'parking', question: 'Vocês têm estacionamento?', answer: 'Sim, em frente.' },
  { id: 'returns', question: 'Como faço uma devolução?', answer: 'Traga a nota em até 30 dias.' },
  { id: 'payment', question: 'Formas de pagamento', answer: 'Pix, cartão e dinheiro.' },
]
const index = createSearchIndex(FAQ)
const top = (query: string) => index.search(query).hits[0]?.id

describe('folding', () => {
  test.each([
    ['Horário', 'horario'],
    ['  ¿Cuánto cuesta?  ', 'cuanto cuesta'],
    ['AÇÃO ÑANDÚ', 'acao nandu'],
    ["what's up", 'whats up'],
    ['Straße', 'strasse'],
    ['🙂', ''],
  ])('%s becomes %s', (text, folded) => expect(fold(text)).toBe(folded))

  test.each([
    ['entrega', 'entregas', 'entregam', 'entregar'],
    ['cancelar', 'cancelamento', 'cancelación', 'cancellation'],
    ['cleaning', 'cleanings', 'cleaned'],
    ['horário', 'orario'],
  ])('%s and its forms have one stem', (...forms) => {
    expect(new Set(forms.map((form) => wordsOf(form)[0]?.stem)).size).toBe(1)
  })

  test('greetings and function words are no search words', () => {
    expect(wordsOf('Oi, boa tarde, tudo bem? vcs tem')).toEqual([])
  })
})

describe('a question finds its answer', () => {
  test.each([
    ['orario', 'hours'],
    ['what time do you open', 'hours'],
    ['a que hora abren', 'hours'],
    ['estasionamento', 'parking'],
    ['where can I park', 'parking'],
    ['quero devolver', 'returns'],
    ['aceita cartao', 'payment'],
    ['kero pagar con tarjeta', 'payment'],
  ])('%s', (query, id) => expect(top(query)).toBe(id))

  test('and is answered if it is clear', () => {
    expect(index.search('qual o horario de funcionamento').decision).toBe('answer')
  })

  test.each(['', '???', 'oi', 'vocês vendem passagens para Marte?', 'x'.repeat(5_000)])(
    'without an answer it is unsure: %.40s',
    (query) => expect(index.search(query).decision).toBe('unsure'),
  )

  test('two entries that fit equally well are no clear answer, unless they say the same', () => {
    const twice = (second: string) =>
      createSearchIndex([
        { id: 'a', question: 'Qual a taxa de entrega?', answer: 'R$ 6' },
        { id: 'b', question: 'Qual a taxa de entrega?', answer: second },
        ...FAQ,
      ]).search('taxa de entrega')
    expect(twice('R$ 9')).toMatchObject({ margin: 0, decision: 'unsure' })
    expect(twice('R$ 6')).toMatchObject({ decision: 'answer' })
  })

  test('an empty index finds nothing', () => {
    const none = createSearchIndex([]).search('horario')
    expect(none).toEqual({ hits: [], confidence: 0, margin: 0, decision: 'unsure' })
  })

  test('passages are found like questions, as many as were asked for', () => {
    const passages = createSearchIndex([
      { id: 'p1', text: 'A garantia cobre defeitos de fabricação por doze meses.' },
      { id: 'p2', text: 'O prazo de entrega é de sete dias úteis.' },
      { id: 'p3', text: 'A garantia não cobre quedas nem água.' },
    ])
    expect(passages.search('garantia', { limit: 1 }).hits).toHaveLength(1)
    expect(passages.search('a garantia cobre água?').hits.map(({ id }) => id)).toEqual(['p3', 'p1'])
  })
})

describe('vectors', () => {
  const entries: SearchEntry[] = [
    { id: 'a', question: 'Formas de pagamento', answer: 'Pix', vector: Float32Array.of(1, 0, 0) },
    { id: 'b', question: 'Horário', answer: 'Das 9h às 18h', vector: Float32Array.of(0, 1, 0) },
    { id: 'c', question: 'Endereço', answer: 'Rua A', vector: Float32Array.of(0, 0, 1) },
  ]
  const fused = createSearchIndex(entries)

  test('find what shares no word', () => {
    expect(fused.search('qual a grana', { vector: Float32Array.of(0.9, 0.1, 0.1) }).hits[0]?.id).toBe('a')
  })

  test('agree with words, and make the answer surer than where they do not', () => {
    const agreed = fused.search('horario', { vector: Float32Array.of(0, 1, 0) })
    const apart = fused.search('horario', { vector: Float32Array.of(0, 0, 1) })
    expect(agreed.hits[0]?.id).toBe('b')
    expect(agreed.confidence).toBeGreaterThan(apart.confidence)
  })

  test('of another model are ignored', () => {
    expect(fused.search('horario', { vector: Float32Array.of(1, 0) })).toEqual(fused.search('horario'))
  })
})

test('the index of 2,000 entries is searched in under 2 ms of an ordinary computer', () => {
  const entries = Array.from({ length: 2_000 }, (_, at) => ({
    id: String(at),
    question: `Qual o preço do produto ${word(at)} na loja ${word(at * 7)}?`,
    answer: `O produto ${word(at)} custa R$ ${at} e chega em ${at % 9} dias, da fábrica ${word(at * 13)}.`,
  }))
  const large = createSearchIndex(entries)
  const queries = Array.from(
    { length: 100 },
    (_, at) => `quanto custa o ${word(at * 19)} com entrega pra ${word(at * 3)}x`,
  )
  const took = queries.map((query) => {
    const startedAt = performance.now()
    large.search(query)
    return performance.now() - startedAt
  })
  // Half of them: the machine that runs this does other things as well.
  expect(took.toSorted((a, b) => a - b)[50]).toBeLessThan(2 * slowness())
})

const SYLLABLES = ['ba', 'cor', 'di', 'fu', 'gem', 'lo', 'mi', 'nu', 'pra', 'que', 'ri', 'sol', 'ta', 've', 'xo', 'zal']
/** Another word for each number below 4,096. */
const word = (number: number) => [number, number >> 4, number >> 8].map((part) => SYLLABLES[part % 16] ?? '').join('')

describe('a large knowledge', () => {
  const words = (count: number, seed: number) =>
    Array.from({ length: count }, (_, at) => `palavra${((seed + at) * 7_919) % 20_000}`).join(' ')
  const entries = Array.from({ length: 300 }, (_, at) => ({
    ...{ id: String(at), question: words(10, at), answer: words(300, at * 31) },
  }))

  test('is indexed in turns that others hardly notice, and finds the same', async () => {
    await buildSearchIndex(entries.slice(0, 30))
    let built = createSearchIndex([])
    const build = async () => {
      built = await buildSearchIndex(entries)
    }
    expect(await shortestOf(3, build, 50)).toBeLessThan(50)
    const question = entries[7]?.question ?? ''
    expect(built.search(question)).toEqual(createSearchIndex(entries).search(question))
  })

  test('is searched in no time for a message of 65,536 characters', async () => {
    const index = createSearchIndex(entries)
    const message = words(5_000, 3).slice(0, 65_536)
    expect(await cpuTime(() => index.search(message))).toBeLessThan(100)
  })
})
