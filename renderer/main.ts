// Must be first, because the router takes the fragment for a route.
import './app/sign-in-code.ts'
import '@fontsource-variable/inter'
import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { takeAccount } from './app/account.ts'
import { labelComboboxes } from './app/combobox-labels.ts'
import { showCutText } from './app/cut-text-titles.ts'
import { i18n, startLanguage } from './app/i18n.ts'
import { keepFocus } from './app/keep-focus.ts'
import { router } from './app/router.ts'
import './app/theme.css'
import { loadNumberFormats } from './parts/number-text.ts'

takeAccount(location.search)
keepFocus()
showCutText()
await startLanguage()
const app = createApp(App).use(createPinia()).use(i18n).use(router).use(ui)
labelComboboxes(app)
app.mount('#app')
// If it fails, numbers of most countries stay unformatted.
void loadNumberFormats().catch(() => {})
