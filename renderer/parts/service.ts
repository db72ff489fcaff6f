import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { call } from '../app/api.ts'
import { useLive } from '../app/live.ts'
import type { Reply } from '../app/operation-types.ts'
import { asProblem, type Problem } from '../app/problem.ts'

/** What the service reports about itself. */
export type ServiceView = Reply<'getService'>

/** The service behind the window. */
export const useService = defineStore('service', () => {
  const view = ref<ServiceView>()
  const problem = ref<Problem>()
  const live = useLive()
  live.onNotice('service', () => void refresh())
  live.onReset(() => void refresh())

  /** In a browser, the window's origin is the service's URL; only the service knows its other addresses. */
  const mcpAddress = computed(() => view.value?.mcp_address ?? `${location.origin}/mcp`)

  /** The keychain is locked: nothing can be signed or sent. */
  const isSealed = computed(() => view.value?.vault.state === 'sealed')

  /** How a client on the same computer as the service starts the stdio bridge. */
  const bridge = computed(() => (isHere(location.hostname) ? (view.value?.mcp_bridge ?? null) : null))

  async function load(): Promise<void> {
    try {
      view.value = await call('getService')
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** Prompts the keychain for its key; the result arrives as a notice. @throws Problem */
  const askVault = () => call('unlockService')

  async function refresh(): Promise<void> {
    if (view.value !== undefined) await load()
  }

  return { view, problem, mcpAddress, isSealed, bridge, load, askVault }
})

/** The desktop app's own page, or a browser that reached the service at an address of this computer. */
const isHere = (host: string): boolean => /^(switchboard|localhost|127\.0\.0\.1|\[::1\])$|\.localhost$/.test(host)
