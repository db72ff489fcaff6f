import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute, useRouter } from 'vue-router'
import { call } from '../app/api.ts'
import { attentionText } from '../app/attention-text.ts'
import { findAttentionDisplay } from '../app/entries.ts'
import { useLive } from '../app/live.ts'
import { useNetwork } from '../app/network.ts'
import type { Item } from '../app/operation-types.ts'
import { useProblemToast } from '../app/problem-toast.ts'

/** A busy service sends many notices per second. */
const REFRESH_MS = 2_000

/**
 * The objects that an overview issue counted, as in a list's URL: `?attention=instances.banned`. Lists show only
 * these, so that their number matches the issue.
 */
export function useAttention() {
  const { t, n } = useI18n()
  const route = useRoute()
  const router = useRouter()
  const network = useNetwork()
  const live = useLive()
  const showProblem = useProblemToast()
  const { path } = route
  const line = shallowRef<Item<'listAttention'>>()
  const asked = computed(() => (typeof route.query['attention'] === 'string' ? route.query['attention'] : ''))
  const display = computed(() => {
    const [room = '', code = ''] = asked.value.split('.')
    return route.path === path ? findAttentionDisplay(room, code) : undefined
  })
  /** Undefined: the list is not filtered. Empty until the service has listed them. */
  const ids = computed(() => (display.value === undefined ? undefined : new Set(line.value?.ids)))
  const label = computed(() => {
    if (display.value === undefined) return ''
    if (line.value === undefined) return t('overview.attention.none')
    const { count, subject, text } = line.value
    return attentionText(t, display.value, { count, n: n(count), name: subject?.name ?? '', why: text ?? '' })
  })
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    const wanted = asked.value
    try {
      const { data } = await call('listAttention', { query: { ...network.query, include: 'ids' } })
      if (wanted === asked.value) line.value = data.find(({ room, code }) => `${room}.${code}` === wanted)
    } catch (error) {
      showProblem(error)
    }
  }
  function loadSoon(): void {
    if (display.value === undefined) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, REFRESH_MS)
  }
  watch([display, () => network.choice], () => void (display.value !== undefined && load()), { immediate: true })
  onScopeDispose(live.onNotice(['events', 'instances', 'webhooks', 'campaigns', 'ai', 'agency'], loadSoon))
  onScopeDispose(() => clearTimeout(timer))

  /** Shows everything again. */
  function clear(): void {
    const { attention: _, ...query } = route.query
    void router.replace({ query })
  }

  return { asked, ids, label, clear }
}
