/**
 * Replaces the package `aria-hidden` (electron.vite.config.ts), which Reka UI uses to hide the page from screen readers
 * while an overlay is open. That is right for a dialog: the page behind it is inert. A menu or a list is part of the page;
 * hiding the rest would take away its heading and landmarks and leave focusable elements hidden.
 * @returns undoes what this call has hidden.
 */
export function hideOthers(target: Element): () => void {
  if (target.closest('[role=dialog], [role=alertdialog]') === null) return () => {}
  const hidden = siblingsAlongPath(target).filter((other) => other.ariaHidden === null && !isLiveRegion(other))
  for (const other of hidden) other.ariaHidden = 'true'
  return () => hidden.forEach((other) => (other.ariaHidden = null))
}

/** The siblings of the target and of its ancestors. */
function siblingsAlongPath(target: Element): Element[] {
  const others: Element[] = []
  for (let on = target; on.parentElement !== null && on !== document.body; on = on.parentElement) {
    others.push(...[...on.parentElement.children].filter((each) => each !== on && each.localName !== 'script'))
  }
  return others
}

/** Toasts are announced over a dialog too. */
const isLiveRegion = (other: Element): boolean =>
  other.matches('[aria-live]') || other.querySelector('[aria-live]') !== null
