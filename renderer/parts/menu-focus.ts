import { watch } from 'vue'

/**
 * A closing dialog returns the focus to the previous element. For a menu item, which no longer exists, the menu's
 * button gets the focus instead.
 * @returns a handler for the dialog's `onCloseAutoFocus`.
 */
export function useMenuFocus(isOpen: () => boolean): (event: Event) => void {
  let button: HTMLElement | null = null
  watch(
    isOpen,
    (open) => {
      if (open) button = buttonOf(document.activeElement?.closest('[role=menu]'))
    },
    // Some dialogs are open when created.
    { immediate: true },
  )
  return (event) => {
    if (button === null) return
    event.preventDefault()
    button.focus()
  }
}

const buttonOf = (menu: Element | null | undefined): HTMLElement | null =>
  document.getElementById(menu?.getAttribute('aria-labelledby') ?? '')
