import { createSharedComposable, useIntervalFn, useNow } from '@vueuse/core'
import type { Ref } from 'vue'

/** The current time, updated every `everyMs` while the component exists. */
export const useNowEvery = (everyMs: number): Readonly<Ref<Date>> =>
  useNow({ scheduler: (renew) => useIntervalFn(renew, everyMs) })

/** The time for texts like “3 minutes ago”: one clock for the whole window, however many rows there are. */
export const useSlowNow = createSharedComposable(() => useNowEvery(15_000))
