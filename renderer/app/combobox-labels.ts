import { watchEffect, type App, type ComponentPublicInstance } from 'vue'
import { i18n } from './i18n.ts'

/** Reka UI's label of the button that opens a combobox, the same in every language. Nuxt UI has no option for it. */
const GIVEN = 'Show popup'

/** Translates the labels of buttons that open comboboxes, for screen readers. */
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
