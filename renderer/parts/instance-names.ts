import { defineStore } from 'pinia'
import { computed } from 'vue'
import { useInstances } from '../rooms/instances/store.ts'

/** The instances as choices, for other rooms. */
export const useInstanceNames = defineStore('instance-names', () => {
  const instances = useInstances()
  const records = computed(() => (instances.isLoaded ? instances.all : undefined))
  const problem = computed(() => instances.problem)
  const byId = computed<ReadonlyMap<string, string>>(() => new Map(instances.all.map(({ id, name }) => [id, name])))
  const choices = computed(() => instances.all.map(({ id, name }) => ({ label: name, value: id })))

  return { records, problem, byId, choices, load: instances.load }
})
