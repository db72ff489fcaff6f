const CUTS = /(^|[\s:])(truncate|line-clamp-\d+)(\s|$)/

/** Text that a row has no room for is shown in full while the pointer is on it. */
export function showCutText(): void {
  document.addEventListener('pointerover', ({ target }) => {
    const cut = target instanceof Element ? cuttingElement(target) : undefined
    const text = cut?.textContent.trim()
    // A title that is there already says more, such as the address of a link.
    if (!cut || !text || cut.closest('[title]') !== null) return
    cut.title = text
    cut.addEventListener('pointerleave', () => cut.removeAttribute('title'), { once: true })
  })
}

/** The element itself, or what cuts it off. */
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
