import { useLocalStorage } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed } from 'vue'
import type { Network } from '../../main/contract/shapes.ts'

export const NETWORK_CHOICES = ['all', 'live', 'sandbox'] as const
type NetworkChoice = (typeof NETWORK_CHOICES)[number]

/** Which network's numbers the window shows in lists, the inbox and the overview. Stored in this browser. */
export const useNetwork = defineStore('network', () => {
  const kept = useLocalStorage<string>('switchboard.network', 'all')
  const choice = computed<NetworkChoice>({
    get: () => NETWORK_CHOICES.find((known) => known === kept.value) ?? 'all',
    set: (wanted) => (kept.value = wanted),
  })
  const shows = ({ network }: { readonly network: Network }) => choice.value === 'all' || choice.value === network
  /** For a query of the service. */
  const query = computed(() => (choice.value === 'all' ? {} : { network: choice.value }))
  return { choice, shows, query }
})
