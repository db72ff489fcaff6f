import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { HealthView, InstanceRecord } from '../../../main/contract/instance.ts'
import { api } from '../../app/api.ts'

/** When temporary bans end. The record does not say; the health view does, and is asked once for each change of the record. */
export const useBanEnds = defineStore('ban-ends', () => {
  const ends = shallowRef<ReadonlyMap<string, string | null>>(new Map())
  const asked = new Set<string>()
  const keyOf = ({ id, updated_at }: InstanceRecord) => `${id} ${updated_at}`

  function endOf(instance: InstanceRecord): string | undefined {
    if (instance.last_disconnect_reason !== 'temporary_ban' || instance.status !== 'auth_failed') return undefined
    const key = keyOf(instance)
    if (!asked.has(key)) {
      asked.add(key)
      void read(instance.id, key)
    }
    return ends.value.get(key) ?? undefined
  }

  async function read(id: string, key: string): Promise<void> {
    try {
      const { restriction } = await api.get<HealthView>(`/instances/${id}/health`)
      ends.value = new Map(ends.value).set(key, restriction?.until ?? null)
    } catch {
      // The badge says “Temporarily banned” until it is asked again.
      asked.delete(key)
    }
  }

  return { endOf }
})
