import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import { everyPlace, type Holdings } from './places.ts'

/** Words are longer in some languages, and letters are larger in a narrow window. */
let w: ConsoleWindow
let holdings: Holdings

beforeAll(async () => {
  w = await openConsole()
  holdings = await liveThroughADay(w)
})
afterAll(() => w.remove())

test.each(['en', 'es', 'pt-BR'])('what is chosen can be read to its end in every list, in %s', async (language) => {
  await w.page.evaluate((chosen) => localStorage.setItem('switchboard.language', chosen), language)
  await w.page.reload()
  await w.page.locator('h1').waitFor()
  const cut: string[] = []
  let lists = 0
  for (const place of everyPlace(holdings)) {
    await w.open(place)
    for (const width of [1280, 760]) {
      await w.page.setViewportSize({ width, height: 800 })
      const found = await w.page.getByRole('combobox').evaluateAll(cutOff)
      lists += await w.page.getByRole('combobox').count()
      cut.push(...found.map((words) => `${place}, ${width}: ${words}`))
    }
  }
  expect(cut).toEqual([])
  expect(lists).toBeGreaterThan(20)
})

/** The words for which a language has none are those of English; Portuguese has the longest hints. */
test.each(['en', 'pt-BR'])('no screen shows the name of a sentence or half a hint, in %s', async (language) => {
  await w.page.evaluate((chosen) => localStorage.setItem('switchboard.language', chosen), language)
  await w.page.reload()
  await w.page.locator('h1').waitFor()
  const wrong: string[] = []
  for (const place of everyPlace(holdings)) {
    await w.open(place)
    const shown = await w.page.locator('body').innerText()
    wrong.push(...namesOfSentences(shown).map((name) => `${place} shows ${name}`))
    const glued = await w.page.getByRole('main').locator('*').evaluateAll(gluedWords)
    wrong.push(...glued.map((words) => `${place} glues ${words}`))
    for (const width of [1280, 768, 390]) {
      await w.page.setViewportSize({ width, height: 800 })
      const cut = await w.page.getByRole('main').locator('input[placeholder]').evaluateAll(cutHints)
      wrong.push(...cut.map((hint) => `${place}, ${width}: ${hint}`))
    }
  }
  expect(wrong).toEqual([])
})

test('what screen readers say is in the language of the window, also where a library named it', async () => {
  await w.page.evaluate(() => localStorage.setItem('switchboard.language', 'es'))
  await w.page.reload()
  await w.page.locator('h1').waitFor()
  const inEnglish: string[] = []
  let options = 0
  for (const place of everyPlace(holdings)) {
    await w.open(place)
    const labels = await w.page
      .locator('[aria-label]')
      .evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel ?? ''))
    inEnglish.push(...labels.filter((label) => LABELS_OF_LIBRARIES.has(label)).map((label) => `${place}: ${label}`))
    options += labels.filter((label) => label === 'Mostrar opciones').length
  }
  expect([inEnglish, options > 5]).toEqual([[], true])
})

test.each(['es', 'pt-BR'])('what the service wrote about a call is said in %s', async (language) => {
  await w.page.setViewportSize({ width: 1280, height: 800 })
  await w.page.evaluate((chosen) => localStorage.setItem('switchboard.language', chosen), language)
  await w.page.reload()
  await w.page.locator('h1').waitFor()
  const { agents, recording } = holdings
  for (const place of ['/recordings', `/recordings/${agents}/${recording}`]) {
    await w.open(place)
    await w.page.getByText('When are you open?').first().waitFor()
    const shown = await w.page.getByRole('main').innerText()
    expect(shown, place).not.toMatch(/\b(?:the agent|the person|answers?) /i)
  }
})

const RUNTIME = join(import.meta.dirname, '../../node_modules/reka-ui/dist')
/** Names that Reka UI gives what it shows, in English only. */
const LABELS_OF_LIBRARIES = new Set(
  readdirSync(RUNTIME, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [...readFileSync(join(RUNTIME, file), 'utf8').matchAll(/"?aria-label"?: "([A-Z][^"]+)"/gi)])
    .flatMap(([, label]) => label ?? []),
)

const ROOMS = readdirSync(join(import.meta.dirname, '../../renderer/locales/en')).map((file) =>
  file.replace('.json', ''),
)
/** Of a sentence that no language has, the window shows the name. */
const namesOfSentences = (text: string): string[] =>
  text.match(new RegExp(`(?<![\\w./-])(?:${ROOMS.join('|')})(?:\\.[a-z]+[A-Z]?\\w*){2,}`, 'g')) ?? []

/** Runs in the page. @returns words that only a margin parts: a screen reader says them as one. */
function gluedWords(elements: Element[]): string[] {
  const isInline = (element: Element) => getComputedStyle(element).display === 'inline'
  return elements.flatMap((element) => {
    const [next, around] = [element.nextSibling, element.parentElement]
    if (!(next instanceof HTMLElement) || around === null || !isInline(element) || !isInline(next)) return []
    if (/flex|grid/.test(getComputedStyle(around).display)) return []
    const [before, after] = [element.textContent, next.textContent]
    return /[\p{L}\d:.,]$/u.test(before) && /^[\p{L}\d]/u.test(after) ? [`${before}|${after}`] : []
  })
}

/** Runs in the page. @returns the hints of empty fields that are longer than the field. */
function cutHints(fields: Element[]): string[] {
  const pen = document.createElement('canvas').getContext('2d')
  if (pen === null) throw new Error('No canvas.')
  return fields.flatMap((field) => {
    if (!(field instanceof HTMLInputElement) || !field.checkVisibility() || field.value !== '') return []
    const style = getComputedStyle(field)
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
    // One word is an example of what to type, such as an address.
    const isSentence = field.placeholder.includes(' ')
    return isSentence && pen.measureText(field.placeholder).width > room + 1 ? [field.placeholder] : []
  })
}

/** Runs in the page. */
function cutOff(choices: Element[]): string[] {
  return choices
    .flatMap((choice) => [choice, ...choice.querySelectorAll('*')])
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
    .map((element) => (element instanceof HTMLInputElement ? element.value : element.textContent))
}
