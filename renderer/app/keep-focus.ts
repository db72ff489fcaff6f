/**
 * A button that is busy is disabled meanwhile, and so the browser takes the focus from it. Whoever pressed it with a key
 * has it back once the button can be used again, unless they have gone on.
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
