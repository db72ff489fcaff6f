import { createSharedComposable, useIntervalFn, useNow } from '@vueuse/core'
import type { Ref } from 'vue'

/** The time, renewed every `everyMs` while the component is there. */
export const useNowEvery = (everyMs: number): Readonly<Ref<Date>> =>
  useNow({ scheduler: (renew) => useIntervalFn(renew, everyMs) })

/** The time for words like “3 minutes ago”: one clock for everything on screen, however many rows there are. */
export const useSlowNow = createSharedComposable(() => useNowEvery(15_000))
