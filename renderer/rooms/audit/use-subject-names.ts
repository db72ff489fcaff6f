import { computed, onMounted, shallowReactive } from 'vue'
import { useAccess } from '../../app/access.ts'
import { call } from '../../app/api.ts'
import { useInstanceNames } from '../../parts/instance-names.ts'
import { useAllClients } from '../agency/use-all-clients.ts'
import { useKeys } from '../keys/store.ts'
import { addressOf } from '../webhooks/status.ts'
import { useWebhooks } from '../webhooks/store.ts'

/** @returns the name of the object with this id; empty if it was deleted or has none. */
export function useSubjectNames(): (id: string) => string {
  const access = useAccess()
  const instances = useInstanceNames()
  const webhooks = useWebhooks()
  const keys = useKeys()
  const clients = useAllClients()
  const campaigns = shallowReactive(new Map<string, string>())
  const known = computed(
    () =>
      new Map([
        ...clients.all.value.map(({ id, name }) => [id, name] as const),
        ...webhooks.webhooks.map(({ id, url }) => [id, `${addressOf(url).host}${addressOf(url).rest}`] as const),
        ...(keys.keys ?? []).map(({ id, name }) => [id, name] as const),
        ...instances.byId,
      ]),
  )
  // Each may fail for a person without access to it; the log itself still works.
  onMounted(() => void Promise.allSettled([instances.load(), webhooks.load(), keys.load(), clients.load()]))

  /** Only for ids on screen, because an account can have thousands. */
  async function readCampaign(id: string): Promise<void> {
    campaigns.set(id, '')
    if (!access.shows({ feature: 'campaigns' })) return
    const found = await call('getCampaign', { params: { id } }).catch(() => undefined)
    if (found !== undefined) campaigns.set(id, found.name)
  }
  return (id) => {
    if (!id.startsWith('cmp_')) return known.value.get(id) ?? ''
    const name = campaigns.get(id)
    if (name === undefined) queueMicrotask(() => void (campaigns.has(id) || readCampaign(id)))
    return name ?? ''
  }
}
