import { watchEffect, type App, type ComponentPublicInstance } from 'vue'
import { i18n } from './i18n.ts'

/** What Reka UI calls the button that opens a combobox, in every language. Nuxt UI has no option for it. */
const GIVEN = 'Show popup'

/** Names the buttons that open comboboxes in the language of the window, for screen readers. */
export function labelComboboxes(app: App): void {
  app.mixin({
    mounted(this: ComponentPublicInstance) {
      if (this.$options.__name !== 'ComboboxTrigger') return
      const button: unknown = this.$el
      if (!(button instanceof Element) || button.ariaLabel !== GIVEN) return
      watchEffect(() => (button.ariaLabel = i18n.global.t('common.showOptions')))
    },
  })
}
