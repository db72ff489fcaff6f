/**
 * Takes the place of the package `aria-hidden`, which Reka UI asks to hide the page from screen readers whenever something
 * opens over it (electron.vite.config.ts). For a dialog that is right: the page behind it is out of reach. A menu or a list
 * is part of the page; hidden around it, the page would lose its heading and landmarks, and whatever can take the focus
 * would be hidden and focusable at once.
 * @returns makes visible again what this call has hidden.
 */
export function hideOthers(target: Element): () => void {
  if (target.closest('[role=dialog], [role=alertdialog]') === null) return () => {}
  const hidden = siblingsAlongPath(target).filter((other) => other.ariaHidden === null && !isLiveRegion(other))
  for (const other of hidden) other.ariaHidden = 'true'
  return () => hidden.forEach((other) => (other.ariaHidden = null))
}

/** What hangs beside the way from the target up to the body. */
function siblingsAlongPath(target: Element): Element[] {
  const others: Element[] = []
  for (let on = target; on.parentElement !== null && on !== document.body; on = on.parentElement) {
    others.push(...[...on.parentElement.children].filter((each) => each !== on && each.localName !== 'script'))
  }
  return others
}

/** Toasts go on speaking over a dialog. */
const isLiveRegion = (other: Element): boolean =>
  other.matches('[aria-live]') || other.querySelector('[aria-live]') !== null
