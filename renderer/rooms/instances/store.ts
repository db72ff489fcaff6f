import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type { ChangeList, InstanceRecord, PlainList } from '../../../main/contract/instance.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { useNetwork } from '../../app/network.ts'
import type { Body } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import {
  advanceSync,
  positionAfterFirstPage,
  applyChanges,
  startSync,
  type SyncPosition,
  type Records,
} from './changes.ts'
import { NO_FILTER, filterInstances, sortInstances, type Filter, type Order } from './filter.ts'

/** The first page is shown while the rest is loaded. */
const FIRST_PAGE = 60
/** A burst of notices causes one read. */
const GATHER_MS = 120

/**
 * All instances of the account. They are read in full once, then kept current with the incremental list whenever a
 * notice arrives.
 */
export const useInstances = defineStore('instances', () => {
  const records = shallowRef<Records>(new Map())
  const isLoaded = ref(false)
  /** Whether the whole list was read, not only its first page. */
  const isWhole = ref(false)
  const problem = ref<Problem>()
  const filter = ref<Filter>(NO_FILTER)
  /** Limits the list to these ids, regardless of the filter. */
  const only = shallowRef<ReadonlySet<string>>()
  const order = ref<Order>('newest')
  const selected = shallowRef<ReadonlySet<string>>(new Set())

  const all = computed(() => [...records.value.values()])
  const network = useNetwork()
  const isOffered = (record: InstanceRecord) => network.shows(record) && (only.value?.has(record.id) ?? true)
  const rows = computed(() => sortInstances(filterInstances(all.value.filter(isOffered), filter.value), order.value))

  let position: SyncPosition | undefined
  let loading: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let isAskedAgain = false
  let gathering = false

  const live = useLive()
  live.onNotice(['instances', 'events', 'fusion'], (notice) => {
    // Events of messages do not change the record of their instance.
    if (notice.topic !== 'events' || (notice.type?.startsWith('instance.') ?? true)) syncSoon()
  })
  live.onReset(() => void (isLoaded.value && reload()))

  function load(): Promise<void> {
    if (isLoaded.value) return sync()
    return reload()
  }

  function reload(): Promise<void> {
    loading ??= readAll().finally(() => (loading = undefined))
    return loading
  }

  async function readAll(): Promise<void> {
    try {
      const found = new Map<string, InstanceRecord>()
      let begin: SyncPosition | undefined
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = cursor === undefined ? { limit: FIRST_PAGE } : { cursor }
        const page: PlainList | ChangeList = await call('listInstances', { query })
        begin ??= positionAfterFirstPage(page.data)
        for (const record of page.data) found.set(record.id, record)
        cursor = page.next_cursor ?? null
        if (!isLoaded.value && cursor !== null) {
          records.value = new Map(found)
          isLoaded.value = true
        }
      }
      records.value = found
      position = begin
      isLoaded.value = true
      isWhole.value = true
      problem.value = undefined
      pruneSelection()
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  function syncSoon(): void {
    if (!isLoaded.value || gathering) return
    gathering = true
    setTimeout(() => {
      gathering = false
      void sync()
    }, GATHER_MS)
  }

  /** Reads the changes since the last time. A call during a running read causes one more read. */
  async function sync(): Promise<void> {
    // The running load may have missed the change of this notice.
    await loading
    if (position === undefined) return reload()
    isAskedAgain = syncing !== undefined
    syncing ??= readChanges(position).finally(() => (syncing = undefined))
    await syncing
    if (isAskedAgain) {
      isAskedAgain = false
      await sync()
    }
  }

  async function readChanges(from: SyncPosition): Promise<void> {
    try {
      for (let reading = startSync(from), isDone = false; !isDone;) {
        const { since, cursor } = reading.position
        const answer = await call('listInstances', { query: { updated_since: since, limit: 500, cursor } })
        if (!('deleted' in answer)) throw new Error('The service answered with a plain list.')
        records.value = applyChanges(records.value, answer)
        const next = advanceSync(reading, answer)
        reading = next
        isDone = next.isDone
        if (isDone) position = next.position
      }
      problem.value = undefined
      pruneSelection()
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** Deselects deleted and filtered instances, so that nobody acts on instances they cannot see. */
  function pruneSelection(): void {
    if (selected.value.size === 0) return
    const visible = new Set(rows.value.map(({ id }) => id))
    const kept = [...selected.value].filter((id) => visible.has(id))
    if (kept.length < selected.value.size) selected.value = new Set(kept)
  }
  watch([filter, only, () => network.choice], pruneSelection, { flush: 'sync' })

  function put(record: InstanceRecord): InstanceRecord {
    records.value = new Map(records.value).set(record.id, record)
    return record
  }

  function remove(id: string): void {
    const next = new Map(records.value)
    next.delete(id)
    records.value = next
    pruneSelection()
  }

  /** Reads one instance, even if it is not in the list. @throws Problem */
  const read = async (id: string): Promise<InstanceRecord> => put(await call('getInstance', { params: { id } }))

  /** @throws Problem */
  const create = async (body: Body<'createInstance'>, idempotencyKey: string): Promise<InstanceRecord> =>
    put(await call('createInstance', { body, idempotencyKey }))

  /** @throws Problem */
  const update = async (id: string, body: Body<'updateInstance'>): Promise<InstanceRecord> =>
    put(await call('updateInstance', { params: { id }, body }))

  /** @throws Problem */
  async function restart(id: string): Promise<void> {
    await call('restartInstance', { params: { id } })
    syncSoon()
  }

  /** @throws Problem */
  async function disconnect(id: string, logout: boolean): Promise<void> {
    await call('disconnectInstance', { params: { id }, body: { logout }, confirm: logout })
    syncSoon()
  }

  /** @throws Problem */
  async function recreate(id: string): Promise<void> {
    await call('recreateInstance', { params: { id }, confirm: true })
    syncSoon()
  }

  /** @throws Problem */
  async function destroy(id: string): Promise<void> {
    await call('deleteInstance', { params: { id }, confirm: true })
    remove(id)
  }

  return {
    ...{ records, all, rows, isLoaded, isWhole, problem, filter, only, order, selected },
    ...{ load, reload, sync, syncSoon, read, create, update, restart, disconnect, recreate, destroy },
  }
})
