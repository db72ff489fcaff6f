import { beforeEach, describe, expect, test } from 'vitest'
import { createKeywordTable, DEFAULT_KEYWORDS, foldKeyword } from '../../../main/capabilities/opt-outs/keywords.ts'
import { builtConsole, signedIn, type Browser } from '../../support/panel.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PERSON = '12025550177'

interface Event {
  readonly data: { readonly text: string; readonly message_id: string }
}

let w: World
let line: { id: string; phone_number: string }
beforeEach(async () => {
  w = await worldOfTest({ consoleFolder: builtConsole() })
  line = await w.pair()
})

const say = async (text: string, number = PERSON, to = line.phone_number) => {
  await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to, text })
  await w.quiet()
}
const list = async (query = '', key?: string) =>
  (await w.api('GET', `/v1/opt-outs${query}`, undefined, { ...(key && { key }) })).body.data
const add = (body: object, key?: string) => w.api('POST', '/v1/opt-outs', body, { ...(key && { key }) })

describe('a text', () => {
  test.each([
    'STOP',
    'stop',
    ' Stop. ',
    '"Sair"!',
    'SAÍR',
    'parar',
    'Baja',
    'ＳＴＯＰ',
    '*STOP*',
    'dar de baja',
    'arrêter',
    'Please stop',
    'Stop. Thank you',
    'BAJA por favor',
    'Hola, quiero darme de baja, gracias',
    'Sair obrigado',
    'quero sair 🙏',
    'Pode parar, obrigado',
    'não quero receber mais mensagens',
    'No quiero recibir más mensajes, gracias',
  ])('is a stop word: %j', (text) => expect(createKeywordTable({}).find(text)).toBe('stop'))
  test.each(['Start', 'quero receber', 'Darme de alta', 'Opt-in'])('is a start word: %j', (text) =>
    expect(createKeywordTable({}).find(text)).toBe('start'),
  )
  test.each([
    ...['stop it', 'não quero sair', 'no quiero parar', 'doy de baja la pauta?', 'la baja temporada'],
    ...['Bom dia! Já pedi três vezes, e todo dia chega outra oferta: não quero receber mais mensagens de vocês, tá?'],
    // Appointments and orders use these, too.
    ...['Cancelar 🙏', 'cancel', 'Remover', 'Quero cancelar, por favor', 'Eliminar'],
  ])('may be a stop word and needs a decision: %j', (text) => expect(createKeywordTable({}).find(text)).toBe('maybe'))
  test.each([
    ...['', 'no', 'não', 'sairei', '…', 'bajamos', 'stop '.repeat(40), 'please', 'obrigado, por favor', 'start please'],
    ...['Voltar', 'Volver', 'Alta', 'quero cancelar o horário das nove', `stop promotions ${'x'.repeat(300)}`],
    ...['A reunião vai até as seis, e depois vou sair com a minha irmã para jantar'],
  ])('is neither a stop word nor a start word: %j', (text) => expect(createKeywordTable({}).find(text)).toBeUndefined())
  test('that an account added as a word keeps its meaning', () => {
    const own = createKeywordTable({ pt: { stop: ['CANCELAR'], start: ['VOLTAR'] } })
    expect(['cancelar', 'voltar', 'remover', 'sair'].map(own.find)).toEqual(['stop', 'start', 'maybe', undefined])
    const none = createKeywordTable({ pt: { stop: ['SAIR'], start: [], maybe: [] } })
    expect(['remover', 'sair'].map(none.find)).toEqual([undefined, 'stop'])
  })
  test('in the default words is never both a stop word and a start word', () => {
    const all = Object.values(DEFAULT_KEYWORDS)
    const stop = new Set(all.flatMap((words) => words.stop.map(foldKeyword)))
    expect(all.flatMap((words) => words.start).filter((word) => stop.has(foldKeyword(word)))).toEqual([])
    expect(stop.has('')).toBe(false)
  })
})

describe('a person', () => {
  test('who writes a stop word is opted out of the account once, and a start word removes the opt-out', async () => {
    await say('Olá')
    expect(await list()).toEqual([])
    await say('Sair!')
    await say('STOP')
    const [optOut, ...others] = await list()
    expect(others).toEqual([])
    expect(optOut).toMatchObject({ phone: PERSON, scope: 'account', source: 'keyword', note: 'Sair!' })
    const received = (await w.api('GET', '/v1/events?type=message.received')).body.data as readonly Event[]
    const said = received.find(({ data }) => data.text === 'Sair!')
    expect(optOut).toMatchObject({ message_id: said?.data.message_id, message_instance_id: line.id })
    await say('quero receber')
    expect(await list()).toEqual([])
  })

  test('who writes a start word stays opted out if the opt-out was not made by a word', async () => {
    await add({ phone: PERSON, note: 'Called us' })
    await say('START')
    expect(await list()).toMatchObject([{ source: 'api', note: 'Called us', message_id: null }])
  })
})

describe('an opt-out', () => {
  test('is created once, read by number in any spelling, and removed', async () => {
    const made = await add({ phone: '+1 (202) 555-0177', note: 'Asked' })
    expect([made.status, made.body]).toMatchObject([
      201,
      { phone: PERSON, scope: 'account', source: 'api', note: 'Asked' },
    ])
    const again = await add({ phone: PERSON, note: 'Other' })
    expect([again.status, again.body.note]).toEqual([200, 'Asked'])
    expect(await list(`?phone=${encodeURIComponent('+1 202-555-0177')}`)).toHaveLength(1)
    expect((await w.api('DELETE', `/v1/opt-outs/${PERSON}`)).status).toBe(204)
    expect((await w.api('DELETE', `/v1/opt-outs/${PERSON}`)).status).toBe(404)
    expect(await list()).toEqual([])
  })

  test('is the same with and without the ninth digit of a Brazilian number', async () => {
    await add({ phone: '5511981234567' })
    expect((await add({ phone: '551181234567' })).status).toBe(200)
    expect(await list('?phone=551181234567')).toHaveLength(1)
  })

  test('for an instance is deleted with the instance', async () => {
    await add({ phone: PERSON, scope: line.id })
    await w.api('DELETE', `/v1/instances/${line.id}?confirm=true`)
    expect(await list()).toEqual([])
  })

  test('for an invalid number or an unknown instance is refused', async () => {
    expect((await add({ phone: '12' + '3'.repeat(20) })).body.error.code).toBe('validation_error')
    expect((await add({ phone: 'Ana Maria' })).body.error.code).toBe('validation_error')
    const scope = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
    expect((await add({ phone: PERSON, scope })).body.error.message).toContain('scope names no instance')
  })

  test('can be listed page by page, newest first', async () => {
    for (let i = 0; i < 5; i++) await add({ phone: `1202555018${i}` })
    const first = (await w.api('GET', '/v1/opt-outs?limit=2')).body
    expect(first.data.map(({ phone }: { phone: string }) => phone)).toEqual(['12025550184', '12025550183'])
    const second = (await w.api('GET', `/v1/opt-outs?limit=3&cursor=${first.next_cursor}`)).body
    expect(second).toMatchObject({ data: [{}, {}, {}], has_more: false, next_cursor: null })
  })

  test('for other instances is not accessible to a restricted key', async () => {
    const other = await w.pair()
    const { key } = await w.key({ instances: [line.id] })
    await add({ phone: PERSON, scope: other.id })
    expect(await list('', key)).toEqual([])
    expect((await add({ phone: PERSON }, key)).body.error.code).toBe('key_restricted')
    expect((await add({ phone: PERSON, scope: other.id }, key)).status).toBe(404)
    expect((await add({ phone: PERSON, scope: line.id }, key)).status).toBe(201)
    expect((await w.api('DELETE', `/v1/opt-outs/${PERSON}`, undefined, { key })).status).toBe(204)
    expect(await list()).toMatchObject([{ scope: other.id }])
    await add({ phone: PERSON })
    expect((await w.api('DELETE', `/v1/opt-outs/${PERSON}`, undefined, { key })).status).toBe(404)
    expect(await list('', key)).toMatchObject([{ scope: 'account' }])
  })
})

describe('an import of opt-outs', () => {
  const send = (content: string | Buffer, query = '') => w.api('POST', `/v1/opt-out-imports${query}`, content)

  test('opts out every number and reports the rows without a valid one', async () => {
    const { status, body } = await send(
      'Telefone;Nota\n+1 202 555 0177;Letter\n12025550177;again\n12025550178;\nAna;\n;\n5.5E+12;x\n',
    )
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ rows: 5, created: 2, updated: 0, duplicates: 1, invalid: 2 },
      problems: [
        { line: 5, phone: 'Ana', reason: 'invalid_number' },
        { line: 7, phone: '5.5E+12', reason: 'rounded_number' },
      ],
    })
    expect(await list()).toMatchObject([
      { phone: '12025550178', source: 'import', note: null },
      { phone: PERSON, note: 'Letter' },
    ])
    expect((await send('phone\n12025550177\n')).body).toMatchObject({ created: 0, duplicates: 1 })
  })

  test('uses the given column, and is refused with a list of its columns if that is missing', async () => {
    expect((await send('a,b\n1,12025550177', '?phone=b')).body.created).toBe(1)
    expect((await send('a,b\n1,12025550178', '?phone=%232')).body.created).toBe(1)
    for (const query of ['', '?phone=c', '?phone=%233']) {
      const { status, body } = await send('a,b\n1,12025550179', query)
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('Its columns are “a”, “b”')])
    }
    expect(await list()).toHaveLength(2)
  })
})

describe('the opt-out settings', () => {
  let browser: Browser
  const PATH = '/panel/v1/opt-out-settings'
  beforeEach(async () => {
    browser = await signedIn(w)
  })

  test('replace the words of a language, and restore its defaults', async () => {
    const words = { stop: ['Fim'], start: ['Quero'] }
    const changed = await browser.ask('PATCH', PATH, { keywords: [{ language: 'pt', words }] })
    const { maybe } = DEFAULT_KEYWORDS.pt ?? {}
    expect(changed.body.keywords).toContainEqual({ language: 'pt', ...words, maybe, is_default: false })
    await say('sair')
    expect(await list()).toEqual([])
    await say('FIM')
    expect(await list()).toHaveLength(1)
    await say('quero!')
    expect(await list()).toEqual([])
    await browser.ask('PATCH', PATH, { keywords: [{ language: 'pt', words: null }] })
    await say('sair')
    expect(await list()).toHaveLength(1)
  })

  test('keep the words that need a decision if a change does not include them', async () => {
    const change = (words: object) => browser.ask('PATCH', PATH, { keywords: [{ language: 'pt', words }] })
    await change({ stop: ['Sair'], start: [], maybe: ['Fim'] })
    const changed = await change({ stop: ['Sair', 'Chega'], start: [] })
    const words = { stop: ['Sair', 'Chega'], start: [], maybe: ['Fim'] }
    expect(changed.body.keywords).toContainEqual({ language: 'pt', ...words, is_default: false })
  })

  test('define opt-out buttons without changing the words', async () => {
    expect((await browser.ask('PATCH', PATH, { buttons: ['Não quero mais'] })).body.buttons).toEqual(['Não quero mais'])
    await browser.ask('PATCH', PATH, { country: 'BR' })
    const { buttons, country, keywords } = (await browser.ask('GET', PATH)).body
    expect([buttons, country]).toEqual([['Não quero mais'], 'BR'])
    expect(keywords.every(({ is_default }: { is_default: boolean }) => is_default)).toBe(true)
  })

  test('refuse a word that is both a stop and a start word, and an unknown country', async () => {
    const words = { stop: ['Stop'], start: ['Baja'] }
    const answer = await browser.ask('PATCH', PATH, { keywords: [{ language: 'en', words }] })
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('Baja is both')])
    expect((await browser.ask('PATCH', PATH, { country: 'XX' })).status).toBe(400)
    expect((await browser.ask('GET', PATH)).body.country).toBeNull()
  })

  test('set the country for numbers without a country code', async () => {
    expect((await add({ phone: '(11) 91234-5678' })).status).toBe(400)
    await browser.ask('PATCH', PATH, { country: 'BR' })
    expect((await add({ phone: '(11) 91234-5678' })).body.phone).toBe('5511912345678')
  })
})
