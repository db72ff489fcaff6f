import { describe, expect, test } from 'vitest'
import { cardOf, share, textBeside, votersFor, type Content } from '../../../renderer/rooms/messages/content.ts'

const PLACE = { type: 'location', latitude: -23.55052, longitude: -46.63331 } as const
const place = (more: object = {}): Content => ({ ...PLACE, name: 'Sé', address: null, url: null, live: false, ...more })
const poll = {
  question: 'When?',
  options: [
    { text: 'Today', votes: 2 },
    { text: 'Later', votes: 1 },
  ],
  voters: ['1', '2'].map((number) => ({
    number,
    options: number === '1' ? ['Today', 'Later'] : ['Today'],
    voted_at: '',
  })),
}

describe('what a bubble shows besides text', () => {
  test('a place has its name, its coordinates and a link to a map', () => {
    expect(cardOf(place({ address: 'Main St' }), 'en')).toEqual({
      ...{ icon: 'i-lucide-map-pin', kind: null, title: 'Sé', lines: ['Main St', '-23.55052, -46.63331'] },
      href: 'https://www.openstreetmap.org/?mlat=-23.55052&mlon=-46.63331#map=16/-23.55052/-46.63331',
      linkText: 'map',
    })
    expect(cardOf(place({ live: true }), 'en')?.kind).toBe('live')
  })

  test('links only https URLs', () => {
    const link = (url: string): Content => ({ type: 'link', url, title: 'A', description: null })
    expect(cardOf(link('https://a.example/'), 'en')?.href).toBe('https://a.example/')
    for (const url of ['javascript:alert(1)', 'http://a.example', 'file:///etc/passwd', 'no address'])
      expect(cardOf(link(url), 'en')?.href).toBeNull()
  })

  test('formats amounts by language, and accepts an unknown currency', () => {
    const product = (currency: string): Content => ({
      ...{ type: 'product', product_id: 'p', retailer_id: null, title: 'Tea', description: null },
      ...{ price: { amount: 12.5, currency }, url: null, business: null },
    })
    expect(cardOf(product('BRL'), 'pt-BR')?.lines).toEqual(['R$\u00a012,50'])
    expect(cardOf(product('<b>'), 'en')?.lines).toEqual(['12.5 <b>'])
  })
})

test('does not repeat the text below a card or poll with the same text', () => {
  const beside = (content: Content | null, text: string) => textBeside({ content, text, poll: null })
  expect(beside(place(), 'Sé')).toBe('')
  expect(beside(null, 'Hi')).toBe('Hi')
  expect(beside({ type: 'button_reply', id: '1', title: 'Yes' }, 'Yes')).toBe('Yes')
  expect(beside({ type: 'link', url: 'https://a.example', title: 'A', description: null }, 'A')).toBe('A')
  expect(textBeside({ content: null, text: 'When?', poll })).toBe('')
})

test('a poll shows the share and names of voters for each option', () => {
  expect([share(poll, 2), share(poll, 1), share({ ...poll, voters: [] }, 0)]).toEqual([100, 50, 0])
  expect([votersFor(poll, 'Today'), votersFor(poll, 'Later')]).toEqual([['1', '2'], ['1']])
})
