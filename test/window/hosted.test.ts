import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OnboardingView } from '../../main/engines/official/index.ts'
import { localeFor } from '../../main/faces/onboarding/language.ts'
import { liveDone, livePage, liveProblem } from '../../main/faces/onboarding/live-page.ts'
import { gonePage, sandboxDone, sandboxPage } from '../../main/faces/onboarding/sandbox-page.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { brokenRules } from '../support/axe.ts'
import { browserPath } from '../support/browser.ts'

/** The pages behind an onboarding_url, as a browser shows them to somebody who has no console. */
let browser: Browser
let page: Page

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] })
  page = await browser.newPage()
})
afterAll(() => browser.close())

const VIEW = {
  callbackAddress: 'https://switchboard.example/callbacks/meta/019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21',
  verifyToken: new Secret('fJ2kQx9sVtR4mWb7LzYc3PdHnEoUa6Ki'),
  selfTest: { kind: 'wrong', fault: { code: 'no_name', host: 'switchboard.example', detail: 'ENOTFOUND' } },
  canSignUp: true,
} as OnboardingView
const NAME = 'Casa Verde Imóveis'

function pagesIn(language: string): Readonly<Record<string, string>> {
  const words = localeFor(language)
  const problem = { field: 'access_token', reason: { code: 'token_dead' } } as const
  return {
    sandbox: sandboxPage(words, NAME),
    'sandbox, again': sandboxPage(words, NAME, words.sandbox.wrongNumber),
    'sandbox, done': sandboxDone(words, NAME, '12025550150'),
    live: livePage(words, NAME, VIEW, '/onboard/token/signup'),
    'live, again': livePage(words, NAME, VIEW, null, { problem }),
    'live, done': liveDone(words, NAME, { number: '12025550150', callsBack: false, view: VIEW, pin: '123456' }),
    'live, failed': liveProblem(words, NAME, words.live.usedMeanwhile),
    gone: gonePage(words),
  }
}

describe.each(['en', 'pt-BR', 'es'])('the pages that are sent to somebody, in %s', (language) => {
  test('break no rule of accessibility and scroll one way only, light and dark, wide and narrow', async () => {
    const wrong: string[] = []
    for (const [name, html] of Object.entries(pagesIn(language))) {
      await page.setContent(html)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [1024, 320]) {
          await page.setViewportSize({ width, height: 720 })
          const found = await brokenRules(page)
          if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push('too wide')
          wrong.push(...found.map((each) => `${name}, ${colorScheme}, ${width}: ${each}`))
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('say everything in that language', () => {
    const { en, own } = { en: pagesIn('en'), own: pagesIn(language) }
    for (const [name, html] of Object.entries(own)) {
      expect(html).toContain(`<html lang="${language}">`)
      if (language === 'en') continue
      const sentences = (text: string) => new Set(text.match(/(?<=>)[^<>]{12,}(?=<)/g))
      const same = [...sentences(html)].filter((each) => sentences(en[name] ?? '').has(each))
      // What Meta is to be told is the same everywhere.
      expect(
        same.filter((each) => !/^https:|^[\w]{32}$|^:root|^\d+$/.test(each.trim())),
        name,
      ).toEqual([])
    }
  })
})
