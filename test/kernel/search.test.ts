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

describe('normalizing words', () => {
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
  ])('%s and its forms have the same stem', (...forms) => {
    expect(new Set(forms.map((form) => wordsOf(form)[0]?.stem)).size).toBe(1)
  })

  test('greetings and function words are ignored', () => {
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

  test('and gets it if the match is clear', () => {
    expect(index.search('qual o horario de funcionamento').decision).toBe('answer')
  })

  test.each(['', '???', 'oi', 'vocês vendem passagens para Marte?', 'x'.repeat(5_000)])(
    'and is unsure without a match: %.40s',
    (query) => expect(index.search(query).decision).toBe('unsure'),
  )

  test('two equally good matches are not a clear answer, unless they say the same', () => {
    const twice = (second: string) =>
      createSearchIndex([
        { id: 'a', question: 'Qual a taxa de entrega?', answer: 'R$ 6' },
        { id: 'b', question: 'Qual a taxa de entrega?', answer: second },
        ...FAQ,
      ]).search('taxa de entrega')
    expect(twice('R$ 9')).toMatchObject({ margin: 0, decision: 'unsure' })
    expect(twice('R$ 6')).toMatchObject({ decision: 'answer' })
  })

  test.each([
    ['where can I park my car?', 'parking'],
    ['is there somewhere to leave my car', 'parking'],
    ['wo kann ich mein auto parken', 'parking'],
    ['dónde puedo aparcar el coche', 'parking'],
    ['onde posso deixar o carro', 'parking'],
    ['are pets ok', 'pets'],
    ['what time do you open on tuesdays', 'hours'],
    ['how much is a haircut', 'prices'],
  ])('and also finds a clear passage to answer with: %s', (query, id) => {
    const passage = (heading: string, text: string) => ({ text, headings: ['guide', 'Harbour Salon', heading] })
    const passages = createSearchIndex([
      { id: 'parking', ...passage('Getting here', 'Parking is behind the shop.') },
      { id: 'pets', ...passage('Good to know', 'We are sorry, but no animals, apart from assistance dogs.') },
      { id: 'hours', ...passage('Opening hours', 'Monday closed\nTuesday 9:00 – 20:00') },
      { id: 'prices', ...passage('Our services', 'Service · Junior · Senior\nCut and blow-dry · £41 · £52') },
      { id: 'team', ...passage('The team', 'Ann has been with us for years. Ask her about anything.') },
    ])
    const { hits, decision } = passages.search(query)
    expect([hits[0]?.id, decision]).toEqual([id, 'answer'])
  })

  test('a passage is found by its headings, and the nearest heading wins', () => {
    const passages = createSearchIndex([
      { id: 'mill', text: 'Closed.', headings: ['Mill Lane', 'Opening hours', 'Monday'] },
      { id: 'harbour', text: 'Closed.', headings: ['Harbour Street', 'Opening hours', 'Monday'] },
      { id: 'team', text: 'Ann and Bob.', headings: ['Harbour Street', 'The team'] },
    ])
    expect(passages.search('is harbour street open on monday').hits[0]?.id).toBe('harbour')
    expect(passages.search('who is in the team').hits.map(({ id }) => id)).toEqual(['team'])
  })

  test('a text that shares hardly a word with the question is not returned', () => {
    const passages = createSearchIndex([
      { id: 'p1', text: 'The bath is cleaned every day by our own people before the guests arrive.' },
      { id: 'p2', text: 'Our guests may use the garden.' },
      { id: 'p3', text: 'Breakfast is served in the garden until ten.' },
    ])
    const question = 'do you rent surfboards, wetsuits or kayaks to guests for lessons with a teacher'
    expect(passages.search(question).hits).toEqual([])
    expect(passages.search('breakfast in the garden').hits[0]?.id).toBe('p3')
  })

  test.each([
    ['Welpe', 'Ein Hundesalon für kleine Tiere.'],
    ['Parkplatz', 'Parken ist kostenlos.'],
    ['Gebühr für Räder', 'Die Leihgebühr beträgt 5 Euro.'],
    ['oeffnungszeiten', 'Geöffnet von 9 bis 12.'],
    ['Nächte', 'Ab zwei Naechten.'],
    ['Buchung', 'Sie können online buchen.'],
  ])('German compounds, umlauts and forms: %s finds %s', (query, text) => {
    const passages = createSearchIndex([
      { id: 'found', text },
      { id: 'other', text: 'Wir freuen uns.' },
    ])
    expect(passages.search(query).hits.map(({ id }) => id)).toEqual(['found'])
  })

  test('a price and a time of day are found without a matching word', () => {
    const passages = createSearchIndex([
      { id: 'price', text: 'Massage £40' },
      { id: 'time', text: 'Massage 9:00 to 18:00' },
    ])
    expect(passages.search('how much is a massage').hits[0]?.id).toBe('price')
    expect(passages.search('massage opening times').hits[0]?.id).toBe('time')
  })

  test('a question word that is in no entry does not make a clear question unclear', () => {
    const hours = { question: 'What are your opening hours?', answer: 'We are open Monday to Friday, 8 am to 6 pm.' }
    const few = createSearchIndex([
      { id: 'one', ...hours },
      { id: 'same', ...hours },
    ])
    for (const asked of ['When are your opening hours?', 'When are your opening hours?\nWhat are your opening hours?'])
      expect(few.search(asked).confidence).toBeGreaterThan(0.6)
  })

  test('an empty index returns nothing', () => {
    const none = createSearchIndex([]).search('horario')
    expect(none).toEqual({ hits: [], confidence: 0, margin: 0, decision: 'unsure' })
  })

  test('passages are found like questions, up to the requested number', () => {
    const passages = createSearchIndex([
      { id: 'p1', text: 'A garantia cobre defeitos de fabricação por doze meses.' },
      { id: 'p2', text: 'O prazo de entrega é de sete dias úteis.' },
      { id: 'p3', text: 'A garantia não cobre quedas nem água.' },
    ])
    expect(passages.search('garantia', { limit: 1 }).hits).toHaveLength(1)
    expect(passages.search('a garantia cobre água?').hits.map(({ id }) => id)).toEqual(['p3', 'p1'])
  })
})

describe('embedding vectors', () => {
  const entries: SearchEntry[] = [
    { id: 'a', question: 'Formas de pagamento', answer: 'Pix', vector: Float32Array.of(1, 0, 0) },
    { id: 'b', question: 'Horário', answer: 'Das 9h às 18h', vector: Float32Array.of(0, 1, 0) },
    { id: 'c', question: 'Endereço', answer: 'Rua A', vector: Float32Array.of(0, 0, 1) },
  ]
  const fused = createSearchIndex(entries)

  test('find entries that share no word with the question', () => {
    expect(fused.search('qual a grana', { vector: Float32Array.of(0.9, 0.1, 0.1) }).hits[0]?.id).toBe('a')
  })

  test('that agree with the words make the answer more certain', () => {
    const agreed = fused.search('horario', { vector: Float32Array.of(0, 1, 0) })
    const apart = fused.search('horario', { vector: Float32Array.of(0, 0, 1) })
    expect(agreed.hits[0]?.id).toBe('b')
    expect(agreed.confidence).toBeGreaterThan(apart.confidence)
  })

  test('of another model are ignored', () => {
    expect(fused.search('horario', { vector: Float32Array.of(1, 0) })).toEqual(fused.search('horario'))
  })
})

test('an index of 2,000 entries is searched in under 2 ms on an ordinary computer', () => {
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
  const medianMs = () => {
    const took = queries.map((query) => {
      const startedAt = performance.now()
      large.search(query)
      return performance.now() - startedAt
    })
    return took.toSorted((a, b) => a - b)[50] ?? Infinity
  }
  // The best of five rounds: the machine that runs this does other things as well.
  const rounds = Array.from({ length: 5 }, () => medianMs() / slowness())
  expect(Math.min(...rounds)).toBeLessThan(2)
})

const SYLLABLES = ['ba', 'cor', 'di', 'fu', 'gem', 'lo', 'mi', 'nu', 'pra', 'que', 'ri', 'sol', 'ta', 've', 'xo', 'zal']
/** Another word for each number below 4,096. */
const word = (number: number) => [number, number >> 4, number >> 8].map((part) => SYLLABLES[part % 16] ?? '').join('')

describe('a large knowledge base', () => {
  const words = (count: number, seed: number) =>
    Array.from({ length: count }, (_, at) => `palavra${((seed + at) * 7_919) % 20_000}`).join(' ')
  const entries = Array.from({ length: 300 }, (_, at) => ({
    ...{ id: String(at), question: words(10, at), answer: words(300, at * 31) },
  }))

  test('is indexed in short turns, and gives the same results', async () => {
    await buildSearchIndex(entries.slice(0, 30))
    let built = createSearchIndex([])
    const build = async () => {
      built = await buildSearchIndex(entries)
    }
    expect(await shortestOf(3, build, 50)).toBeLessThan(50)
    const question = entries[7]?.question ?? ''
    expect(built.search(question)).toEqual(createSearchIndex(entries).search(question))
  })

  test('is searched quickly with a message of 65,536 characters', async () => {
    const index = createSearchIndex(entries)
    const message = words(5_000, 3).slice(0, 65_536)
    expect(await cpuTime(() => index.search(message))).toBeLessThan(100)
  })
})
