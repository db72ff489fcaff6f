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

/** What the person at the window may see: by role, by the features of the account, and by whose account it is. */
export const useAccess = defineStore('access', () => {
  const session = useSession()
  /** undefined until it is known: everything is shown, and the service refuses what is not allowed. */
  const features = ref<readonly Feature[]>()
  /** The account is that of a client of an agency. undefined until it is known. */
  const isClient = ref<boolean>()
  /** How many the account has, in use or not; undefined until it is known. */
  const voicePackages = ref<number>()
  /** For numbers; undefined until it is known. */
  const slots = ref<{ readonly total: number; readonly free: number }>()
  /** Why the account sends nothing at the moment. */
  const held = ref<'suspended' | 'frozen'>()
  const live = useLive()
  // The account of a client is told of its own features, and that of an agency of its pool.
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
      // The screens say what is refused.
    }
  }

  const isOperator = () => session.session?.role !== 'member'
  /** undefined: it is not known yet, and words for everybody are shown. */
  function audience(): Audience | undefined {
    if (session.session === undefined) return undefined
    if (isOperator()) return clientAccountId === null ? 'owner' : 'agency'
    if (isClient.value === undefined) return undefined
    return isClient.value ? 'client' : 'member'
  }
  /** @returns why something is not for this person in this account; undefined: it is. */
  function refusalOf({ role, feature, isOwnAccount }: Limited): AccessRefusal | undefined {
    if (role === 'operator' && !isOperator()) return { reason: 'agency_only' }
    if (isOwnAccount === true && clientAccountId !== null) return { reason: 'own_account' }
    if (feature !== undefined && features.value?.includes(feature) === false) return { reason: 'feature_off', feature }
    return undefined
  }
  const shows = (limited: Limited): boolean => refusalOf(limited) === undefined
  /** Only the agency can give a client some. */
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
