import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { themeOf } from '../../main/contract/brand-theme.ts'
import { call } from './api.ts'
import { useLive } from './live.ts'
import type { Reply } from './operation-types.ts'
import { useSession } from './session.ts'

/** The branding of the account that the window shows. Members see the whole console with it. */
export const useBrand = defineStore('brand', () => {
  const session = useSession()
  const branding = shallowRef<Reply<'updateBranding'>>()
  const name = computed(() => branding.value?.display_name ?? session.session?.account.name ?? '')
  const theme = computed(() => (branding.value ?? { theme: themeOf({}) }).theme.light)
  useLive().onNotice('agency', () => void load())
  watch(
    () => session.session?.account.id,
    (id) => void (id !== undefined && load()),
    { immediate: true },
  )
  watch([branding, () => session.session?.role], paint)

  async function load(): Promise<void> {
    try {
      branding.value = (await call('getAgency')).branding
    } catch {
      // Without branding the console keeps its default look.
    }
  }

  /** Applies the color to buttons and markers of a member's console, corrected for each mode. */
  function paint(): void {
    const root = document.documentElement.style
    const isOwn = session.session?.role === 'member' && branding.value?.colors.primary !== undefined
    if (!isOwn || branding.value === undefined) {
      root.removeProperty('--brand-light')
      root.removeProperty('--brand-dark')
      delete document.documentElement.dataset['brand']
      return
    }
    root.setProperty('--brand-light', branding.value.theme.light.primary)
    root.setProperty('--brand-dark', branding.value.theme.dark.primary)
    document.documentElement.dataset['brand'] = ''
  }

  return { branding, name, theme }
})
