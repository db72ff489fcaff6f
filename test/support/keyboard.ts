import type { Page } from 'playwright-core'

/** Somebody with a keyboard and no mouse, who has to see where they are. */
export interface Keyboard {
  press(key: string): Promise<void>
  type(text: string): Promise<void>
  /** Presses Tab until the thing of this name has the focus. @throws when it does not come. */
  tabTo(name: string | RegExp): Promise<void>
  /** The name of what has the focus. */
  focused(): Promise<string>
  /** Names of things on the way whose focus could not be seen: they look the same with it, or lie out of sight. */
  readonly unseen: readonly string[]
}

const MOST_TABS = 60

export function keyboardOf(page: Page): Keyboard {
  const unseen: string[] = []
  const { keyboard } = page
  const focused = () => page.evaluate(nameOfFocus)
  const tab = async () => {
    await page.evaluate(rememberLooks)
    await keyboard.press('Tab')
    const fault = await page.evaluate(faultOfFocus)
    if (fault !== '') unseen.push(fault)
  }
  return {
    unseen,
    focused,
    press: (key) => keyboard.press(key),
    type: (text) => keyboard.type(text),
    async tabTo(name) {
      const passed: string[] = []
      for (let tabs = 0; tabs < MOST_TABS; tabs++) {
        await tab()
        const now = await focused()
        if (typeof name === 'string' ? now === name : name.test(now)) return
        passed.push(now)
      }
      throw new Error(`${String(name)} was not among what Tab leads to: ${passed.join(' › ')}`)
    },
  }
}

/** Runs in the page. */
function nameOfFocus(): string {
  const on = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLElement>; placeholder?: string }) | null
  if (on === null || on === document.body) return ''
  const labelled = document.getElementById(on.getAttribute('aria-labelledby') ?? '')
  const names = [on.ariaLabel, labelled?.innerText, on.labels?.[0]?.innerText, on.placeholder, on.innerText]
  return names.find(Boolean)?.trim().replace(/\s+/g, ' ') ?? on.localName
}

interface Looks {
  lookOf?: (thing: Element) => string
  looks?: WeakMap<Element, string>
  from?: Element | null
}

/** Runs in the page: how everything looks without the focus. */
function rememberLooks(): void {
  // The ring may be drawn around the thing, by what is laid over it, or by the box around it.
  const lookOf = ((window as Looks).lookOf ??= (thing) => {
    const faces = [undefined, '::after', '::before'].map((part) => getComputedStyle(thing, part))
    if (thing.parentElement) faces.push(getComputedStyle(thing.parentElement))
    return faces
      .map(({ outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor }) =>
        [outlineStyle === 'none' ? '' : outlineStyle + outlineWidth, boxShadow, borderColor, backgroundColor].join(),
      )
      .join(';')
  })
  const looks = ((window as Looks).looks = new WeakMap<Element, string>())
  ;(window as Looks).from = document.activeElement
  for (const thing of document.querySelectorAll('a[href], button, input, textarea, select, [tabindex]')) {
    if (thing !== document.activeElement) looks.set(thing, lookOf(thing))
  }
}

/** Runs in the page. @returns nothing where the focus can be seen. */
async function faultOfFocus(): Promise<string> {
  const on = document.activeElement
  if (on === null || on === document.body) return ''
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  const ending = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
  await Promise.all(ending.map((each) => each.finished.catch(() => {})))
  const words = `${on.localName} “${on.ariaLabel ?? on.textContent.trim().slice(0, 40)}”`
  const { lookOf, looks, from } = window as Looks
  // From the end to the beginning Tab goes through the browser's own bar; a Chromium without one draws no ring then.
  const isEntering =
    from && on.compareDocumentPosition(from) & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINS)
  if (isEntering && !on.matches(':focus-visible')) return ''
  if (looks?.get(on) === lookOf?.(on)) return `${words} looks the same`
  const { left, top, width, height } = on.getBoundingClientRect()
  const there = document.elementFromPoint(left + width / 2, top + height / 2)
  // A toast goes by itself.
  const isInSight =
    there !== null && (on.contains(there) || there.contains(on) || there.closest('[data-slot=viewport]') !== null)
  return isInSight ? '' : `${words} at ${left},${top} lies under ${there?.outerHTML.slice(0, 120) ?? 'nothing'}`
}
