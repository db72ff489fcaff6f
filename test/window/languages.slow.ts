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

/** Runs in the page. */
function cutOff(choices: Element[]): string[] {
  return choices
    .flatMap((choice) => [choice, ...choice.querySelectorAll('*')])
    .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
    .map((element) => (element instanceof HTMLInputElement ? element.value : element.textContent))
}
