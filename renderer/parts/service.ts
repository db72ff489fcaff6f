import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type { BridgeProgram } from '../../main/capabilities/service/contract.ts'
import type { Scope } from '../../main/contract/scopes.ts'
import { api } from '../app/api.ts'
import { useLive } from '../app/live.ts'
import { asProblem, type Problem } from '../app/problem.ts'

/** What the service reports about itself. */
export interface ServiceView {
  readonly version: string
  readonly network: 'sandbox' | 'live'
  readonly address: string
  readonly mcp_address: string
  readonly mcp_bridge: BridgeProgram | null
  readonly vault: {
    readonly kind: 'keychain' | 'file' | 'memory'
    readonly state: 'open' | 'sealed'
    readonly asking: 'waiting' | 'repeated' | 'on_request' | null
    readonly notice: string | null
    readonly problem: string | null
  }
  readonly home: string
  readonly database_bytes: number
  readonly started_at: string
  readonly warnings: readonly string[]
  readonly troubles: readonly string[]
  readonly scopes: readonly Scope[]
  readonly password_set: boolean
  readonly limits: Readonly<Record<string, number | readonly number[]>>
}

/** The service behind the window. */
export const useService = defineStore('service', () => {
  const view = ref<ServiceView>()
  const problem = ref<Problem>()
  const live = useLive()
  live.onNotice('service', () => void refresh())
  live.onReset(() => void refresh())

  /** In a browser the window's origin is the service's; only the service knows its other addresses. */
  const mcpAddress = computed(() => view.value?.mcp_address ?? `${location.origin}/mcp`)

  /** The keychain is locked: nothing is signed and nothing is sent. */
  const isSealed = computed(() => view.value?.vault.state === 'sealed')

  /** How a client on the same computer as the service starts the stdio bridge. */
  const bridge = computed(() => (isHere(location.hostname) ? (view.value?.mcp_bridge ?? null) : null))

  async function load(): Promise<void> {
    try {
      view.value = await api.get<ServiceView>('/service')
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** Prompts the keychain for its key; the result arrives as a notice. @throws Problem */
  const askVault = () => api.post('/service/unlock')

  async function refresh(): Promise<void> {
    if (view.value !== undefined) await load()
  }

  return { view, problem, mcpAddress, isSealed, bridge, load, askVault }
})

/** The desktop app's own page, or a browser that reached the service at an address of this computer. */
const isHere = (host: string): boolean => /^(switchboard|localhost|127\.0\.0\.1|\[::1\])$|\.localhost$/.test(host)
