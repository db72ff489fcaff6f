import { defineStore } from 'pinia'
import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useInstances } from '../rooms/instances/store.ts'

/** The instances as options, for other rooms. */
export const useInstanceNames = defineStore('instance-names', () => {
  const instances = useInstances()
  const records = computed(() => (instances.isLoaded ? instances.all : undefined))
  /** Every instance was loaded, so a missing one does not exist. */
  const isWhole = computed(() => instances.isWhole)
  const problem = computed(() => instances.problem)
  const byId = computed<ReadonlyMap<string, string>>(() => new Map(instances.all.map(({ id, name }) => [id, name])))
  const choices = computed(() => instances.all.map(({ id, name }) => ({ label: name, value: id })))

  return { records, isWhole, problem, byId, choices, load: instances.load }
})

/** @returns the text for an instance's id: its name, or that it was deleted; empty until known. */
export function useInstanceName(): (id: string) => string {
  const { t } = useI18n()
  const names = useInstanceNames()
  return (id) => names.byId.get(id) ?? (names.isWhole ? t('common.deletedNumber') : '')
}
