import { expect, test } from 'vitest'
import { readChatText } from '../../../renderer/rooms/campaigns/chat-format.ts'

test('formats bold, italic, strikethrough and code, also nested', () => {
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

test.each(['2 * 3 * 4', 'snake_case_name', '* a*', '*a\nb*', 'a~b', '*', '**'])('keeps other text: %s', (text) => {
  expect(readChatText(text)).toEqual([{ text }])
})

test('links URLs without the period at the end of a sentence', () => {
  expect(readChatText('See https://luz.example/menu?x=1. *Now* http://a.example')).toEqual([
    { text: 'See ' },
    { text: 'https://luz.example/menu?x=1', isLink: true },
    { text: '. ' },
    { text: 'Now', isBold: true },
    { text: ' ' },
    { text: 'http://a.example', isLink: true },
  ])
})
