import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Item } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

/** One tool call, without its content. */
export type ToolCall = Item<'listToolCalls'>

const SHOWN = 100

/** Approvals and tool calls of assistants. */
export const useAssistants = defineStore('assistants', () => {
  const approvals = ref<ApprovalRecord[]>()
  const problem = ref<Problem>()
  const calls = ref<ToolCall[]>()
  const callsProblem = ref<Problem>()
  const connected = ref<readonly Item<'listAssistants'>[]>([])
  const live = useLive()
  live.onNotice('approvals', () => void loadApprovals())
  live.onNotice('tool-calls', () => void refreshCalls())
  live.onNotice('assistants', () => void loadConnected())
  live.onReset(() => void Promise.all([loadApprovals(), refreshCalls(), loadConnected()]))

  const pending = computed(() => approvals.value?.filter(({ state }) => state === 'pending') ?? [])
  const decided = computed(() => approvals.value?.filter(({ state }) => state !== 'pending') ?? [])

  /** Page size, small because calls may have long arguments. */
  async function readApprovals(): Promise<ApprovalRecord[]> {
    const found: ApprovalRecord[] = []
    for (let cursor: string | undefined; ;) {
      const page = await call('listApprovals', { query: { limit: SHOWN - found.length, cursor } })
      found.push(...page.data)
      if (page.next_cursor === null || found.length >= SHOWN) return found
      cursor = page.next_cursor
    }
  }

  async function loadApprovals(): Promise<void> {
    try {
      approvals.value = await readApprovals()
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  async function loadCalls(): Promise<void> {
    try {
      calls.value = (await call('listToolCalls')).data
      callsProblem.value = undefined
    } catch (error) {
      callsProblem.value = asProblem(error)
    }
  }

  /** Does nothing on failure: the next notice loads it again. */
  async function loadConnected(): Promise<void> {
    const page = await call('listAssistants').catch(() => undefined)
    if (page !== undefined) connected.value = page.data
  }

  async function refreshCalls(): Promise<void> {
    if (calls.value !== undefined) await loadCalls()
  }

  /** Approves or refuses the call. @throws Problem when it is no longer pending. */
  async function decide(id: string, decision: 'approve' | 'refuse'): Promise<ApprovalRecord> {
    try {
      return await call(decision === 'approve' ? 'approveCall' : 'refuseCall', { params: { id } })
    } finally {
      await loadApprovals()
    }
  }

  return {
    approvals,
    pending,
    decided,
    problem,
    calls,
    callsProblem,
    connected,
    loadApprovals,
    loadCalls,
    loadConnected,
    decide,
  }
})
