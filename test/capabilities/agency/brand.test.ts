import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrast, themeOf } from '../../../main/contract/brand-theme.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('every text of the page is readable with any brand color', () => {
  fc.assert(
    fc.property(color, color, (primary, background) => {
      const { light, dark } = themeOf({ primary, background })
      for (const theme of [light, dark]) {
        for (const text of [theme.text, theme.muted, theme.primary])
          expect(contrast(text, theme.background), JSON.stringify(theme)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(theme.on_primary, theme.primary)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(theme.text, theme.surface)).toBeGreaterThanOrEqual(4.5)
      }
    }),
    { numRuns: 500 },
  )
})

test('a readable color stays unchanged', () => {
  expect(themeOf({ primary: '#0f766e', background: '#ffffff' }).light).toMatchObject({
    ...{ primary: '#0f766e', background: '#ffffff', on_primary: '#ffffff' },
  })
})
