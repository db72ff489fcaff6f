import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quotedText, visibleText, visibleValue } from '../../main/contract/display-text.ts'

describe('untrusted text for display', () => {
  test.each([
    ['line\nbreak\r\t', 'line\\nbreak\\r\\t'],
    ['\u202Eevil\u2069', '\\u{202E}evil\\u{2069}'],
    ['a\u200Bb\uFEFFc', 'a\\u{200B}b\\u{FEFF}c'],
    ['\u{E0041}', '\\u{E0041}'],
    ['\u0301x', '\\u{301}x'],
    ['👨\u200D👩\u200D👧 ❤️\u200D🔥 ação', '👨\u200D👩\u200D👧 ❤️\u200D🔥 ação'],
  ])('shows its invisible characters: %j', (text, shown) => expect(visibleText(text)).toBe(shown))

  test('cannot close its quotes', () => {
    expect(quotedText('a” b " c \\')).toBe('“a\\” b \\" c \\\\”')
  })

  test('cannot reorder the text around it with right-to-left marks', () => {
    expect(quotedText('שלום')).toBe('“\u2068שלום\u2069”')
  })

  test('is escaped at any depth, including field names', () => {
    expect(visibleValue({ 'a\u202E': ['\n', { b: 1 }] })).toEqual({ 'a\\u{202E}': ['\\n', { b: 1 }] })
  })

  test('never contains a control character, a direction mark or an open quote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const inside = quotedText(text)
          .slice(1, -1)
          .replace(/^\u2068|\u2069$/g, '')
        expect(inside).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u)
        expect(inside).not.toMatch(/(?<!\\)(\\\\)*["“”„‟]/)
      }),
    )
  })
})
