import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'
import type { Feature } from '../../main/contract/features.ts'
import { clientAccountId } from './account.ts'
import { call } from './api.ts'
import type { Audience } from './audience.ts'
import type { Entry } from './entries.ts'
import { useLive } from './live.ts'
import { useSession } from './session.ts'

type Limited = Pick<Entry, 'role' | 'feature' | 'isOwnAccount'>

export type AccessRefusal =
  | { readonly reason: 'agency_only' | 'own_account' }
  | { readonly reason: 'feature_off'; readonly feature: Feature }

/** What the person at the window may see, by role, the account's features, and the kind of account. */
export const useAccess = defineStore('access', () => {
  const session = useSession()
  /** undefined until known: everything is shown, and the service refuses what is not allowed. */
  const features = ref<readonly Feature[]>()
  /** The account belongs to a client of an agency. undefined until known. */
  const isClient = ref<boolean>()
  /** Number of instances of the account, connected or not; undefined until known. */
  const voicePackages = ref<number>()
  /** Slots for numbers; undefined until known. */
  const slots = ref<{ readonly total: number; readonly free: number }>()
  /** Why the account cannot send now. */
  const held = ref<'suspended' | 'frozen'>()
  const live = useLive()
  // A client's account is told its own features, and an agency's account its pool.
  live.onNotice(['account', 'agency', 'billing'], () => void load())
  live.onReset(() => void load())
  watch(
    () => session.session?.account.id,
    (id) => void (id !== undefined && load()),
    { immediate: true },
  )

  async function load(): Promise<void> {
    try {
      const entitlements = await call('getEntitlements')
      features.value = entitlements.features
      isClient.value = entitlements.client
      voicePackages.value = entitlements.voice_packages
      slots.value = entitlements.slots
      held.value = entitlements.suspended ? 'suspended' : entitlements.frozen ? 'frozen' : undefined
    } catch {
      // If this fails, the screens show the refusals.
    }
  }

  const isOperator = () => session.session?.role !== 'member'
  /** undefined: not known yet; texts for everybody are shown. */
  function audience(): Audience | undefined {
    if (session.session === undefined) return undefined
    if (isOperator()) return clientAccountId === null ? 'owner' : 'agency'
    if (isClient.value === undefined) return undefined
    return isClient.value ? 'client' : 'member'
  }
  /** @returns why this person may not use something in this account; undefined: they may. */
  function refusalOf({ role, feature, isOwnAccount }: Limited): AccessRefusal | undefined {
    if (role === 'operator' && !isOperator()) return { reason: 'agency_only' }
    if (isOwnAccount === true && clientAccountId !== null) return { reason: 'own_account' }
    if (feature !== undefined && features.value?.includes(feature) === false) return { reason: 'feature_off', feature }
    return undefined
  }
  const shows = (limited: Limited): boolean => refusalOf(limited) === undefined
  /** Only the agency can add slots to a client's account. */
  const hasNoSlots = computed(() => isClient.value === true && slots.value?.total === 0)
  const isFull = computed(() => slots.value !== undefined && slots.value.free <= 0)

  return {
    features,
    isClient,
    voicePackages,
    slots,
    hasNoSlots,
    isFull,
    held,
    refusalOf,
    shows,
    isOperator,
    audience,
    load,
  }
})
