import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { Agent, Ai, Decision } from '../ai/index.ts'
import type { AiKnowledge } from '../ai-knowledge/index.ts'
import type { Instances } from '../instances/index.ts'
import type { VoiceAgent, VoiceAgents } from './agents.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly ai: Ai
  readonly knowledge: AiKnowledge
  readonly instances: Pick<Instances, 'subject'>
}

/** Short, because a person is waiting on the phone. */
const ANSWER_MS = 15_000
const SUMMARY_MS = 60_000
const QUESTIONS = 3

/** The agents of the AI room, for calls. Costs are counted and limits apply as in chats. */
export function createVoiceAgents({ db, clock, ai, knowledge, instances }: Deps): VoiceAgents {
  const outside = { one: db.readOne }

  const find: VoiceAgents['find'] = async (_accountId, instanceId, agentId) => {
    const agent = await findAgent(instanceId, agentId)
    return agent && toVoiceAgent(agent)
  }

  async function findAgent(instanceId: string, agentId: string): Promise<Agent | undefined> {
    try {
      return await ai.agents.find(instanceId, agentId)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return undefined
      throw error
    }
  }

  async function toVoiceAgent({ id, name, provider, systemPrompt, instanceId }: Agent): Promise<VoiceAgent> {
    const { data } = await knowledge.faq.list(instanceId, { limit: QUESTIONS })
    const questions = data.filter(({ enabled }) => enabled).map(({ question }) => question)
    return { id, name, provider, greeting: null, systemPrompt, questions }
  }

  async function ask(
    { accountId, instanceId }: Parameters<VoiceAgents['answer']>[0] | Parameters<VoiceAgents['complete']>[0],
    agent: Agent,
    said: { readonly text: string; readonly history: Parameters<VoiceAgents['answer']>[0]['history'] },
    ms: number,
  ): Promise<Decision | undefined> {
    const instance = await instances.subject(accountId, instanceId)
    if (instance === undefined) return undefined
    const controller = new AbortController()
    const timer = startTimeout(clock, ms, () => controller.abort())
    const history = said.history.map(({ speaker, text }) => ({ from: speaker, text }))
    try {
      return await ai.trial.ask(
        instance,
        { agent, question: said.text, history: [...history, { from: 'person', text: said.text }], stageId: null },
        controller.signal,
      )
    } finally {
      timer.cancel()
    }
  }

  return {
    find,
    async primary(_accountId, instanceId) {
      const agent = await ai.agents.primary(outside, instanceId)
      return agent && toVoiceAgent(agent)
    },
    async answer(turn) {
      const agent = await findAgent(turn.instanceId, turn.agentId)
      const decision = agent && (await ask(turn, agent, turn, ANSWER_MS))
      return { text: decision?.reply ?? null, hangUp: false }
    },
    async complete(of, instructions, text) {
      const agent = await findAgent(of.instanceId, of.agentId)
      if (agent === undefined || agent.provider === 'builtin') return undefined
      const writer: Agent = { ...agent, systemPrompt: instructions, tools: [] }
      return (await ask(of, writer, { text, history: [] }, SUMMARY_MS))?.reply ?? undefined
    },
  }
}
