const CUTS = /(^|[\s:])(truncate|line-clamp-\d+)(\s|$)/

/** Shows truncated text in full while the pointer is on it. */
export function showCutText(): void {
  document.addEventListener('pointerover', ({ target }) => {
    const cut = target instanceof Element ? cuttingElement(target) : undefined
    const text = cut?.textContent.trim()
    // An existing title contains more, such as the URL of a link.
    if (!cut || !text || cut.closest('[title]') !== null) return
    cut.title = text
    cut.addEventListener('pointerleave', () => cut.removeAttribute('title'), { once: true })
  })
}

/** The element itself, or the ancestor that truncates it. */
function cuttingElement(target: Element): HTMLElement | undefined {
  for (
    let at: Element | null = target, steps = 0;
    at instanceof HTMLElement && steps < 3;
    at = at.parentElement, steps++
  )
    if (CUTS.test(at.className))
      return at.scrollWidth > at.clientWidth || at.scrollHeight > at.clientHeight + 1 ? at : undefined
  return undefined
}
