import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import { everyPlace, type Holdings } from './places.ts'

/** Every field of every screen is left half typed by the sidebar: the window asks, or the text is still there. */
let w: ConsoleWindow
let holdings: Holdings
let places: readonly string[]

beforeAll(async () => {
  w = await openConsole()
  holdings = await liveThroughADay(w)
  places = everyPlace(holdings).filter((place) => !(place in NOTHING_TO_LOSE))
})
afterAll(() => w.remove())

/** Fields in which nothing is lost, and why. */
const NOTHING_TO_LOSE: Readonly<Record<string, string>> = {
  '/sandbox/faults': 'a count beside the button that uses it',
}
/** What narrows a list, or shows a text: nothing is lost with it. */
const NOT_TYPED =
  '[role=search] *, [type=search], [role=combobox], [readonly], :disabled, [type=checkbox], [type=radio], [type=file], [type=range]'
const question = () => w.page.getByRole('dialog', { name: 'Unsaved changes' })
/** By the sidebar, as a person does: what is under the pointer takes the focus first. */
async function leave(place: string): Promise<string> {
  const to = place.startsWith('/contacts') ? 'Opt-outs' : 'Contacts'
  await w.page.getByRole('link', { name: to, exact: true }).first().click()
  return to
}

async function fieldsHere(): Promise<Locator> {
  const { page } = w
  const all = page.locator('main').locator(`input:not(${NOT_TYPED}), textarea:not(${NOT_TYPED})`)
  return all.and(page.locator(':visible'))
}

/** Numbers and times take no words. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ number: '7', time: '03:07', date: '2031-03-07', 'datetime-local': '2031-03-07T03:07', email: 'ana@luz.example' },
  ...{ url: 'https://luz.example/half', tel: '+1202555', color: '#123456' },
}
const wordsFor = async (field: Locator) => WORDS[(await field.getAttribute('type')) ?? ''] ?? '7'

/** @returns the text when the place is opened again without a question, or `asked`. */
async function comesBackTo(place: string, index: number): Promise<string> {
  const there = w.page.getByRole('heading', { level: 1, name: await leave(place), exact: true })
  await question().or(there).first().waitFor()
  if (await question().isVisible()) {
    await w.page.locator('[data-discard]').click()
    await there.waitFor()
    return 'asked'
  }
  await w.open(place)
  const fields = await fieldsHere()
  return index < (await fields.count()) ? fields.nth(index).inputValue() : 'no field'
}

test('no field of a screen loses what is typed', { timeout: 1_200_000 }, async () => {
  const lost: string[] = []
  let count = 0
  for (const place of places) {
    await w.open(place)
    for (let index = 0; index < (await (await fieldsHere()).count()); index++) {
      const field = (await fieldsHere()).nth(index)
      const typed = await wordsFor(field)
      await field.fill(typed)
      const name = (await field.getAttribute('aria-label')) ?? (await field.getAttribute('placeholder'))
      count++
      const found = await comesBackTo(place, index)
      if (found !== 'asked' && found !== typed) lost.push(`${place}, field ${index + 1} (${name}): ${found}`)
      else if (found !== 'asked') await (await fieldsHere()).nth(index).fill('')
      else await w.open(place)
    }
  }
  expect(lost).toEqual([])
  expect(count).toBeGreaterThan(60)
})
