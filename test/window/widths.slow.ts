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
})
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
  const member = { name: word, email: `${word.slice(0, 40)}@bakery.example` }
  // Not for programs.
  const statuses = await w.page.evaluate(
    async ([ofKey, ofClient, ofMember]) => {
      const headers = { 'content-type': 'application/json' }
      const post = async (path: string, body: object) => {
        const answer = await fetch(`/panel/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        await answer.text()
        return answer.status
      }
      return [await post('/keys', ofKey), await post('/agency/accounts', ofClient), await post('/members', ofMember)]
    },
    [key, client, member] as const,
  )
  expect(statuses).toEqual([201, 201, 201])
  const { data } = (await w.api('GET', '/v1/agency/accounts')).body
  const { id } = data.find(({ name }: { name: string }) => name === word)
  expect((await w.api('POST', `/v1/agency/accounts/${id}/suspend`)).status).toBe(200)
}

async function speak(language: string): Promise<void> {
  await w.page.evaluate((chosen) => localStorage.setItem('switchboard.language', chosen), language)
  await w.page.reload()
  await w.page.locator('h1').waitFor()
}

test.each([
  ['en', 390],
  ['es', 390],
  ['pt-BR', 390],
  ['pt-BR', 768],
  ['en', 1280],
])('no screen scrolls sideways or cuts its own name in %s at %i px', async (language, width) => {
  await w.page.setViewportSize({ width, height: 844 })
  await speak(language)
  const wide: string[] = []
  for (const place of everyPlace(holdings)) {
    await w.open(place)
    const found = await w.page.evaluate(widerThanTheScreen)
    wide.push(...found.map((what) => `${place}: ${what}`))
    const title = await w.page.locator('h1').first().evaluate(cutTitle)
    // A name of a hundred letters is longer than two lines.
    if (title !== undefined && !title.includes('Donaudampf')) wide.push(`${place}: ${title} is cut off`)
  }
  expect(wide).toEqual([])
})

test.each([
  ['es', 390],
  ['es', 768],
  ['pt-BR', 390],
  ['pt-BR', 768],
])('the buttons of a row stay in one line, and so do their names, in %s at %i px', async (language, width) => {
  await w.page.setViewportSize({ width, height: 844 })
  await speak(language)
  const broken: string[] = []
  // The wall has cards in place of rows.
  for (const place of everyPlace(holdings).filter((one) => one !== '/instances/wall')) {
    await w.open(place)
    broken.push(...(await w.page.evaluate(brokenRowButtons)).map((what) => `${place}: ${what}`))
  }
  expect(broken).toEqual([])
})

test('phone numbers and times are whole on a phone', async () => {
  await w.page.setViewportSize({ width: 390, height: 844 })
  await speak('pt-BR')
  const cut: string[] = []
  let seen = 0
  for (const place of everyPlace(holdings)) {
    await w.open(place)
    const { whole, halves } = await w.page.evaluate(wholeFacts)
    seen += whole
    cut.push(...halves.map((text) => `${place}: ${text}`))
  }
  expect(cut).toEqual([])
  expect(seen).toBeGreaterThan(50)
})

/** Runs in the page. @returns how many phone numbers and times are whole, and those that are not. */
function wholeFacts(): { whole: number; halves: string[] } {
  const facts = [...document.querySelectorAll<HTMLElement>('main :is(time, span, p, td, div)')].filter(
    (element) =>
      element.childElementCount === 0 &&
      element.checkVisibility() &&
      (element.localName === 'time' || /^\+\d[\d ]{8,}$/.test(element.textContent.trim())),
  )
  const isCut = (element: HTMLElement) => {
    const { right } = (element.firstChild && rangeOf(element).getBoundingClientRect()) || { right: 0 }
    for (let around: HTMLElement | null = element; around && around.localName !== 'main'; around = around.parentElement)
      if (getComputedStyle(around).textOverflow === 'ellipsis' && right > around.getBoundingClientRect().right + 1)
        return true
    return false
  }
  const rangeOf = (element: Element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range
  }
  const halves = facts.filter(isCut).map((element) => element.textContent.trim())
  return { whole: facts.length - halves.length, halves }
}

/** Runs in the page. @returns buttons of rows whose name takes two lines, and those that are below their neighbours. */
function brokenRowButtons(): string[] {
  const found: string[] = []
  const isSeen = (element: Element) => element.checkVisibility() && element.getBoundingClientRect().width > 4
  for (const row of document.querySelectorAll('main :is(tr, li, [role=row])')) {
    const buttons = [...row.querySelectorAll(':is(button, a)[data-slot=base]')].filter(isSeen)
    for (const [at, button] of buttons.entries()) {
      const name = button.textContent.trim()
      const range = document.createRange()
      range.selectNodeContents(button)
      const tops = [...range.getClientRects()].filter(({ width }) => width > 2).map(({ top }) => top)
      const lineHeight = Number.parseFloat(getComputedStyle(button).lineHeight)
      if (name !== '' && Math.max(...tops) - Math.min(...tops) > lineHeight * 0.7) found.push(`${name} wraps`)
      const next = buttons[at + 1]
      if (next === undefined || next.parentElement !== button.parentElement) continue
      if (next.getBoundingClientRect().top >= button.getBoundingClientRect().bottom)
        found.push(`${next.textContent.trim()} is below ${name}`)
    }
  }
  return [...new Set(found)].slice(0, 3)
}

/** Runs in the page. @returns its text, if some of it is hidden. */
function cutTitle(title: Element): string | undefined {
  const isCut = title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight + 1
  return isCut ? title.textContent : undefined
}

test('on a phone, a suspended client still has its name', async () => {
  await w.page.setViewportSize({ width: 390, height: 844 })
  await speak('en')
  await w.open('/clients')
  const row = w.page.getByRole('row').filter({ hasText: 'Suspended' })
  expect((await row.getByRole('link').boundingBox())?.width).toBeGreaterThan(90)
})

test('on a phone, lists and dialogs of long names stay within the window', async () => {
  const { page } = w
  const beyond = (what: string) =>
    page.evaluate(
      (selector) =>
        [...document.querySelectorAll(selector)].filter(
          (element) =>
            element.scrollWidth > element.clientWidth + 1 || element.getBoundingClientRect().right > innerWidth,
        ).length,
      what,
    )
  await w.open('/contacts')
  await page.getByRole('combobox', { name: 'All tags' }).click()
  await page.getByRole('option', { name: /^Donaudampf/ }).waitFor()
  expect(await beyond('[role=listbox]')).toBe(0)
  await page.keyboard.press('Escape')
  await w.open('/instances')
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('toolbar').getByRole('button', { name: 'Reconnect' }).click()
  await page.getByRole('dialog').getByText('Donaudampf').first().waitFor()
  expect(await beyond('[role=dialog] ul')).toBe(0)
  await page.keyboard.press('Escape')
})

test('the title of a dialog ends before the button that closes it', async () => {
  const { page } = w
  await w.open('/opt-outs')
  await page
    .getByRole('button', { name: /^Remove the opt-out/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  const [title, close] = await Promise.all([
    dialog.getByRole('heading').boundingBox(),
    dialog.getByRole('button', { name: 'Close' }).boundingBox(),
  ])
  if (title === null || close === null) throw new Error('Not shown.')
  expect(title.x + title.width).toBeLessThanOrEqual(close.x)
  await page.keyboard.press('Escape')
})

test('a name that is cut off is shown in full where the pointer is, and only there', async () => {
  await w.page.setViewportSize({ width: 390, height: 844 })
  await w.open('/clients')
  const name = w.page.getByRole('link', { name: /^Donaudampf/ })
  const whole = await name.textContent()
  await name.hover()
  await expect.poll(() => name.getAttribute('title')).toBe(whole)
  await w.page.getByRole('link', { name: 'North bakery' }).hover()
  await expect.poll(() => w.page.locator('[title^="Donaudampf"], [title="North bakery"]').count()).toBe(0)
})

/** Runs in the page. @returns what scrolls sideways, or reaches beyond the edge where nothing scrolls. */
function widerThanTheScreen(): string[] {
  /** Wide by nature: code and a row of tabs. */
  const OWN_SCROLL = 'pre, [role=tablist], :has(> [role=tablist]), :has(> nav)'
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
