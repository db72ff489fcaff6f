import { createSharedComposable, useNow } from '@vueuse/core'

/** The time for words like “3 minutes ago”: one clock for everything on screen, however many rows there are. */
export const useSlowNow = createSharedComposable(() => useNow({ interval: 15_000 }))
