import type { Page } from 'playwright-core'

/**
 * What a person could not get to in the page as it stands: the page scrolls sideways, or something to press or fill in
 * lies outside the window, or is cut off by a box that does not scroll.
 */
export const outOfReach = (page: Page): Promise<string[]> => page.evaluate(lookForThem)

/** Runs in the page. */
function lookForThem(): string[] {
  /** Borders, rings and rounding. */
  const SLACK_PX = 1.5
  const found: string[] = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}`)

  const things = 'a[href], button, input, textarea, select, [role=button], [role=menuitem], [role=option], [role=tab]'
  for (const thing of document.querySelectorAll<HTMLElement>(things)) {
    const rect = thing.getBoundingClientRect()
    const isShown = thing.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    // What is two pixels small is there for those who listen.
    if (!isShown || rect.width < 2 || rect.height < 2) continue
    const why = (['x', 'y'] as const).map((axis) => cutOff(thing, rect, axis)).find(Boolean)
    if (why) found.push(`${thing.getAttribute('aria-label') ?? thing.innerText.trim().slice(0, 40)}: ${why}`)
  }
  return found

  function cutOff(thing: HTMLElement, rect: DOMRect, axis: 'x' | 'y'): string | undefined {
    const [start, end] = axis === 'x' ? (['left', 'right'] as const) : (['top', 'bottom'] as const)
    let [from, to] = [rect[start], rect[end]]
    let isFixed = getComputedStyle(thing).position === 'fixed'
    for (let box = thing.parentElement; box && box !== document.body && !isFixed; box = box.parentElement) {
      const style = getComputedStyle(box)
      const overflow = axis === 'x' ? style.overflowX : style.overflowY
      if (overflow !== 'visible') {
        const edges = box.getBoundingClientRect()
        const scrolled = axis === 'x' ? box.scrollLeft : box.scrollTop
        const isBefore = from < edges[start] - SLACK_PX
        const isAfter = to > edges[end] + SLACK_PX
        if (overflow === 'hidden' || overflow === 'clip') {
          if (isBefore || isAfter) return `cut off by a box along ${axis}`
        } else {
          if (isBefore && from < edges[start] - scrolled - SLACK_PX) return `before the beginning along ${axis}`
          // Scrolled into sight it lies within the box.
          ;[from, to] = [Math.max(from, edges[start]), Math.min(to, edges[end])]
          if (isBefore || isAfter) [from, to] = [edges[start], edges[end]]
        }
      }
      isFixed = style.position === 'fixed'
    }
    const size = axis === 'x' ? innerWidth : innerHeight
    return from < -SLACK_PX || to > size + SLACK_PX ? `outside the window along ${axis}` : undefined
  }
}
