import { expect, test } from 'vitest'
import { storedTemplate } from '../../../renderer/rooms/messages/template-message.ts'

const button = (type: string, title: string, more: object = {}) => ({ type, title, id: null, url: null, ...more })

test('shows a stored template with all its buttons', () => {
  const buttons = [
    button('quick_reply', 'Yes', { id: 'today' }),
    button('url', 'Track', { url: 'https://garden.example/7' }),
    button('phone_number', 'Call us'),
  ]
  const shown = storedTemplate({ header: 'Order 7', footer: null, buttons }, 'Hello Ana')
  expect(shown).toEqual({
    ...{ text: 'Hello Ana', openers: ['Call us'] },
    content: {
      ...{ type: 'interactive', kind: 'template', header: 'Order 7', footer: null, sections: [] },
      ...{ button: 'Track', url: 'https://garden.example/7', buttons: [{ id: 'today', title: 'Yes' }] },
    },
  })
})

test('shows a stored template with its cards', () => {
  const buttons = [
    button('quick_reply', 'Buy', { id: '1: Buy' }),
    button('url', 'Look', { url: 'https://luz.example/1' }),
  ]
  const media = { type: 'image', url: 'https://luz.example/1.png', filename: null }
  const cards = [{ header_media: media, text: '11 dollars', buttons }]
  const { content } = storedTemplate({ header: null, footer: null, buttons: [], cards }, 'New')
  expect(content.cards).toEqual([
    {
      ...{ header_media: media, text: '11 dollars', button: 'Look', url: 'https://luz.example/1' },
      buttons: [{ id: '1: Buy', title: 'Buy' }],
    },
  ])
})
