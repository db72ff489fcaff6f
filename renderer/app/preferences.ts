import { useLocalStorage } from '@vueuse/core'

/** Whether the sidebar shows the group Developers. Kept in this browser. */
export const showsDeveloperTools = useLocalStorage('switchboard.developers', true)
