import { watch } from 'vue'

/**
 * A dialog gives the focus back to what had it before. Of a menu that is an item, which is gone by then: the button of
 * the menu gets it.
 * @returns for the dialog's `onCloseAutoFocus`.
 */
export function useMenuFocus(isOpen: () => boolean): (event: Event) => void {
  let button: HTMLElement | null = null
  watch(
    isOpen,
    (open) => {
      if (open) button = buttonOf(document.activeElement?.closest('[role=menu]'))
    },
    // Some dialogs are made at the moment they are wanted.
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
