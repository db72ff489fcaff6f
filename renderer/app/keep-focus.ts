/**
 * A busy button is disabled, so the browser removes its focus. It gets the focus back once it is enabled, unless the
 * focus has moved elsewhere.
 */
export function keepFocus(): void {
  let last: EventTarget | null = null
  document.addEventListener('focusin', ({ target }) => (last = target))
  new MutationObserver((changes) => {
    const on = changes.find(({ target }) => target === last)?.target
    if (on instanceof HTMLButtonElement && !on.disabled && document.activeElement === document.body)
      on.focus({ preventScroll: true })
  }).observe(document.body, { subtree: true, attributeFilter: ['disabled'] })
}
