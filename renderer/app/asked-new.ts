import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** Calls `open` when the palette or a link asks this screen for something new: `?new=1`. */
export function onAskedForNew(open: () => void): void {
  const route = useRoute()
  const router = useRouter()
  const path = route.path
  watch(
    () => route.path === path && route.query['new'] !== undefined,
    (isAsked) => {
      if (!isAsked) return
      // Going back must not open it again.
      const { new: _, ...query } = route.query
      void router.replace({ query }).then(open)
    },
    { immediate: true },
  )
}
