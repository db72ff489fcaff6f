import type { Principal } from '../../kernel/access.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Existence, Handlers } from '../handler.ts'
import type { aiContract } from './contract.ts'
import type { Ai } from './index.ts'

export function aiHandlers(ai: Ai): Handlers<typeof aiContract> {
  const { settings, agents, stages, media, httpTools, conversations, trial, overview } = ai
  return {
    getAiSettings: ({ instance }) => settings.get(instance),
    updateAiSettings: ({ instance, body }) => settings.update(instance, body),
    getAccountAiSettings: ({ principal }) => settings.ofAccount(principal.accountId),
    updateAccountAiSettings: ({ principal, body }) => settings.setRulesOf(principal.accountId, body),
    getFollowUp: ({ instance }) => settings.getFollowUp(instance.id),
    updateFollowUp: ({ instance, body }) => settings.updateFollowUp(instance, body),

    listAgents: ({ instance, query }) => agents.list(instance.id, query),
    createAgent: ({ instance, body }) => agents.create(instance, body),
    getAgent: ({ instance, params }) => agents.get(instance.id, params.agent_id),
    updateAgent: ({ instance, params, body }) => agents.update(instance.id, params.agent_id, body),
    async deleteAgent({ instance, params }) {
      await agents.remove(instance.id, params.agent_id)
      return undefined
    },

    listStages: ({ params, query }) => stages.list(params.agent_id, query),
    createStage: ({ instance, params, body }) =>
      stages.create({ instanceId: instance.id, agentId: params.agent_id }, body),
    orderStages: ({ params, body }) => stages.order(params.agent_id, body.stage_ids),
    getStage: ({ params }) => stages.get(params.agent_id, params.stage_id),
    updateStage: ({ params, body }) => stages.update(params.agent_id, params.stage_id, body),
    async deleteStage({ instance, params }) {
      await stages.remove({ instanceId: instance.id, agentId: params.agent_id }, params.stage_id)
      return undefined
    },

    getAiConversation: ({ instance, params }) => conversations.get(instance, params.phone),
    pauseAiConversation: ({ instance, params, body }) => conversations.pause(instance, params.phone, body.minutes),
    resumeAiConversation: ({ instance, params }) => conversations.resume(instance, params.phone),
    listAiConversations: ({ instance, query }) => conversations.list(instance, query),
    listAiTurns: ({ instance, params, query }) => conversations.turns(instance, params.phone, query),
    testAgent: ({ instance, body }) => trial.test(instance, body),
    suggestReply: ({ instance, params }) => trial.suggest(instance, params.phone),
    getAiUsage: ({ instance, query }) => overview.ofInstance(instance, query.days),
    listAiInstances: ({ principal }) => overview.instances(principal.accountId),
    getAiOverview: ({ principal, query }) => overview.ofAccount(principal.accountId, query.days),

    listAgentMedia: ({ params, query }) => media.list(params.agent_id, query),
    addAgentMedia: ({ instance, params, body }) => media.add(instance, params.agent_id, body),
    async removeAgentMedia({ params }) {
      await media.remove(params.agent_id, params.file_id)
      return undefined
    },

    listHttpTools: ({ params, query }) => httpTools.list(params.agent_id, query),
    createHttpTool: ({ instance, params, body, requireAccess }) =>
      httpTools.create(instance, params.agent_id, body, requireAccess),
    updateHttpTool: ({ params, body, requireAccess }) =>
      httpTools.update(params.agent_id, params.tool_id, body, requireAccess),
    async deleteHttpTool({ params }) {
      await httpTools.remove(params.agent_id, params.tool_id)
      return undefined
    },
  }
}

/** Agents belong to an instance; their stages, files and tools belong to an agent. */
export function aiExistence({ agents, stages, media, httpTools, conversations }: Ai): Existence<typeof aiContract> {
  type OfAgent = { readonly id: string; readonly agent_id: string }
  const agent = (_: Principal, { id, agent_id: agentId }: OfAgent) => agents.find(id, agentId)
  const stage = async (principal: Principal, params: OfAgent & { readonly stage_id: string }) => {
    await agent(principal, params)
    return stages.find(params.agent_id, params.stage_id)
  }
  const tool = async (principal: Principal, params: OfAgent & { readonly tool_id: string }) => {
    await agent(principal, params)
    return httpTools.find(params.agent_id, params.tool_id)
  }
  type OfChat = { readonly id: string; readonly phone: string }
  const chat = async (_: Principal, { phone }: OfChat) => conversations.requireChat(phone)
  // The access check has already confirmed that the instance exists.
  const known = (_: Principal, { id, phone }: OfChat) => conversations.find(id as InstanceId, phone)
  return {
    ...{ getAgent: agent, updateAgent: agent, deleteAgent: agent },
    ...{ listStages: agent, createStage: agent, orderStages: agent },
    ...{ getStage: stage, updateStage: stage, deleteStage: stage },
    ...{ listAgentMedia: agent, addAgentMedia: agent, listHttpTools: agent, createHttpTool: agent },
    async removeAgentMedia(principal, params) {
      await agent(principal, params)
      return media.find(params.agent_id, params.file_id)
    },
    ...{ updateHttpTool: tool, deleteHttpTool: tool },
    ...{ pauseAiConversation: chat, resumeAiConversation: chat },
    ...{ getAiConversation: known, listAiTurns: known, suggestReply: known },
  }
}
