import { onScopeDispose, ref, shallowRef, type InjectionKey } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Body } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import type { Agent, FollowUp, ProviderKey, Settings } from './store.ts'

/** Everything that is set for the agents of one instance. */
interface Loaded {
  readonly settings: Settings
  readonly agents: readonly Agent[]
  readonly keys: readonly ProviderKey[]
  readonly followUp: FollowUp
}

const GATHER_MS = 200

export type AgentSetup = ReturnType<typeof useAgentSetup>
export const AGENT_SETUP: InjectionKey<AgentSetup> = Symbol('agent setup')

/** Reads it, keeps it current, and saves its parts. */
export function useAgentSetup(instanceId: string) {
  const params = { id: instanceId }
  const data = shallowRef<Loaded>()
  const problem = ref<Problem>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    try {
      const [settings, agents, keys, followUp] = await Promise.all([
        call('getAiSettings', { params }),
        call('listAgents', { params, query: { limit: 200 } }),
        call('listProviderKeys', { params }),
        call('getFollowUp', { params }),
      ])
      data.value = { settings, agents: agents.data, keys: keys.data, followUp }
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  const live = useLive()
  const unsubscribe = live.onNotice('ai', ({ instance_id: id }) => {
    if (id !== undefined && id !== instanceId) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, GATHER_MS)
  })
  const unsubscribeReset = live.onReset(() => void load())
  onScopeDispose(() => {
    unsubscribe()
    unsubscribeReset()
    clearTimeout(timer)
  })

  const patch = (change: Partial<Loaded>) => {
    if (data.value !== undefined) data.value = { ...data.value, ...change }
  }
  const putAgent = (agent: Agent) =>
    patch({
      agents: (data.value?.agents ?? []).map((each) => {
        if (each.id === agent.id) return agent
        return agent.is_primary ? { ...each, is_primary: false } : each
      }),
    })

  /** @throws Problem */
  async function saveSettings(body: Body<'updateAiSettings'>): Promise<void> {
    patch({ settings: await call('updateAiSettings', { params, body }) })
  }

  /** @throws Problem */
  async function saveFollowUp(body: Body<'updateFollowUp'>): Promise<void> {
    patch({ followUp: await call('updateFollowUp', { params, body }) })
  }

  /** @throws Problem */
  async function createAgent(body: Body<'createAgent'>): Promise<Agent> {
    const agent = await call('createAgent', { params, body })
    await load()
    return agent
  }

  /** @throws Problem */
  async function saveAgent(agentId: string, body: Body<'updateAgent'>): Promise<void> {
    putAgent(await call('updateAgent', { params: { ...params, agent_id: agentId }, body }))
  }

  /** @throws Problem */
  async function deleteAgent(agentId: string): Promise<void> {
    await call('deleteAgent', { params: { ...params, agent_id: agentId } })
    await load()
  }

  void load()
  return { params, data, problem, load, saveSettings, saveFollowUp, createAgent, saveAgent, deleteAgent }
}
