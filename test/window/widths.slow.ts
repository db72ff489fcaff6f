import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, type ConsoleWindow } from '../support/window.ts'
import { liveThroughADay } from './day.ts'
import { everyPlace, type Holdings } from './places.ts'

/** A phone, a tablet and a small laptop: every screen fits, and only what is wide by nature scrolls within itself. */
let w: ConsoleWindow
let holdings: Holdings

beforeAll(async () => {
  w = await openConsole()
  holdings = await liveThroughADay(w)
  await nameAtLength()
}, 60_000)
afterAll(() => w.remove())

/** Names as long as they may be, once with spaces and once without. */
async function nameAtLength(): Promise<void> {
  const [sentence, word] = [
    'A name of many words '.repeat(10).slice(0, 99).trim(),
    'Donaudampfschifffahrt'.repeat(5).slice(0, 100),
  ]
  for (const name of [sentence, word]) await w.api('POST', '/v1/instances', { name })
  await w.api('PATCH', `/v1/instances/${holdings.unpaired}`, { name: word })
  await w.api('PATCH', `/v1/campaigns/${holdings.draft}`, { name: word })
  await w.api('POST', '/v1/contacts', { phone: '12025550177', name: word, tags: [word.slice(0, 50)] })
  await w.api('POST', '/v1/webhooks', { url: `https://catcher.sandbox/${word}`, events: ['*'], description: sentence })
  const key = { name: word, scopes: ['instances:read', 'messages:send', 'messages:read', 'webhooks:write'] }
  const client = { name: word }
  // Not for programs.
  const statuses = await w.page.evaluate(
    async ([ofKey, ofClient]) => {
      const headers = { 'content-type': 'application/json' }
      const post = async (path: string, body: object) => {
        const answer = await fetch(`/panel/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        await answer.text()
        return answer.status
      }
      return [await post('/keys', ofKey), await post('/agency/accounts', ofClient)]
    },
    [key, client] as const,
  )
  expect(statuses).toEqual([201, 201])
}

test.each([390, 768, 1280])(
  'no screen scrolls sideways at %i px',
  async (width) => {
    await w.page.setViewportSize({ width, height: 844 })
    const wide: string[] = []
    for (const place of everyPlace(holdings)) {
      await w.open(place)
      const found = await w.page.evaluate(widerThanTheScreen)
      wide.push(...found.map((what) => `${place}: ${what}`))
    }
    expect(wide).toEqual([])
  },
  300_000,
)

/** Runs in the page. @returns what scrolls sideways, or reaches beyond the edge where nothing scrolls. */
function widerThanTheScreen(): string[] {
  /** Wide by nature: code and a row of tabs. */
  const OWN_SCROLL = 'pre, [role=tablist], :has(> [role=tablist])'
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${(element.getAttribute('class') ?? '').slice(0, 60)}`
  const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const root = document.scrollingElement
  const found = root !== null && root.scrollWidth > root.clientWidth ? ['the page'] : []
  const scrolls = (element: Element) => /auto|scroll/.test(getComputedStyle(element).overflowX)
  for (const element of document.querySelectorAll('main, main *')) {
    if (!isVisible(element) || element.matches(OWN_SCROLL)) continue
    if (scrolls(element) && element.scrollWidth > element.clientWidth + 1)
      found.push(`${name(element)} scrolls ${element.scrollWidth - element.clientWidth} px`)
    const { right, width } = element.getBoundingClientRect()
    if (width === 0 || right <= innerWidth + 1 || element.closest('.sr-only') !== null) continue
    // Within something that scrolls or cuts off, its own width says nothing.
    let around = element.parentElement
    while (around !== null && !/auto|scroll|hidden|clip/.test(getComputedStyle(around).overflowX))
      around = around.parentElement
    if (around === null) found.push(`${name(element)} ends ${Math.round(right - innerWidth)} px beyond the edge`)
  }
  return found.slice(0, 3)
}
