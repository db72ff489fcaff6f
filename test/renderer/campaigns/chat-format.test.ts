import { expect, test } from 'vitest'
import { readChatText } from '../../../renderer/rooms/campaigns/chat-format.ts'

test('marks make bold, italic, struck and code, also inside each other', () => {
  expect(readChatText('*Big _news_* for `you` ~now~')).toEqual([
    { text: 'Big ', isBold: true },
    { text: 'news', isBold: true, isItalic: true },
    { text: ' for ' },
    { text: 'you', isCode: true },
    { text: ' ' },
    { text: 'now', isStruck: true },
  ])
  expect(readChatText('```a *b*```')).toEqual([{ text: 'a *b*', isCode: true }])
})

test.each(['2 * 3 * 4', 'snake_case_name', '* a*', '*a\nb*', 'a~b', '*', '**'])('what is no mark stays: %s', (text) => {
  expect(readChatText(text)).toEqual([{ text }])
})

test('addresses are links, without the point that ends the sentence', () => {
  expect(readChatText('See https://luz.example/menu?x=1. *Now* http://a.example')).toEqual([
    { text: 'See ' },
    { text: 'https://luz.example/menu?x=1', isLink: true },
    { text: '. ' },
    { text: 'Now', isBold: true },
    { text: ' ' },
    { text: 'http://a.example', isLink: true },
  ])
})
