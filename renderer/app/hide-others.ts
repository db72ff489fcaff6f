/**
 * Replaces the package `aria-hidden` (electron.vite.config.ts), which Reka UI uses to hide the page from screen
 * readers while an overlay is open. That is right for a dialog, because the page behind it is inert. A menu or list
 * is part of the page; hiding the rest would remove its heading and landmarks and leave focusable elements hidden.
 * @returns undoes this call.
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

/** Toasts are announced even while a dialog is open. */
const isLiveRegion = (other: Element): boolean =>
  other.matches('[aria-live]') || other.querySelector('[aria-live]') !== null
