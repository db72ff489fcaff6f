import type {
  Agent as AgentRecord,
  AgentDraft,
  AgentTool,
  CreateAgentBody,
  UpdateAgentBody,
} from '../../contract/ai.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import type { Tx } from '../../kernel/db.ts'
import { seqPage } from '../../kernel/list-page.ts'
import { priceOf } from '../ai-providers/index.ts'
import type { InstanceSubject } from '../handler.ts'
import {
  agentById,
  agentCount,
  agentsPage,
  changeAgent,
  demotePrimary,
  insertAgent,
  oldestAgent,
  primaryAgent,
  promoteAgent,
  removeAgent,
  toAgent,
  toAgentRow,
  type Agent,
} from './agent-store.ts'
import type { AiDeps } from './deps.ts'
import { removeHttpToolsOfAgent } from './http-tool-store.ts'
import { removeMediaOfAgent } from './media-store.ts'
import type { SettingsStore } from './settings.ts'
import { removeStagesOfAgent } from './stage-store.ts'

interface AgentsDeps extends Pick<AiDeps, 'db' | 'clock' | 'ids' | 'cursors'> {
  readonly settings: Pick<SettingsStore, 'read' | 'requireUsable'>
}

interface PageWish {
  readonly limit?: number
  readonly cursor?: string
}

const TOOLS: readonly AgentTool[] = ['faq_search', 'set_stage', 'handoff_to_human', 'send_media']

export type Agents = ReturnType<typeof createAgents>

/** The agents of an instance. Exactly one is primary if there are any. */
export function createAgents({ db, clock, ids, cursors, settings }: AgentsDeps) {
  const outside = { one: db.readOne }

  /** @throws ApiError not_found */
  const get = async (read: Pick<Tx, 'one'>, instanceId: string, id: string): Promise<Agent> => {
    const row = await read.one(agentById, { instanceId, id })
    if (row === undefined) throw new ApiError('not_found', 'This instance has no agent with this id.')
    return toAgent(row)
  }

  /** While AI is enabled, the primary agent must be able to answer. */
  const requireUsable = async (tx: Tx, instanceId: string): Promise<void> => {
    if ((await settings.read(tx, instanceId)).enabled) await settings.requireUsable(tx, instanceId)
  }

  return {
    list: (instanceId: string, wish: PageWish) =>
      seqPage(
        cursors,
        `ai-agents:${instanceId}`,
        wish,
        (page) => db.read(agentsPage, { instanceId, ...page }),
        (row) => toRecord(toAgent(row)),
      ),

    find: (instanceId: string, id: string): Promise<Agent> => get(outside, instanceId, id),
    async primary(read: Pick<Tx, 'one'>, instanceId: string): Promise<Agent | undefined> {
      const row = await read.one(primaryAgent, { instanceId })
      return row && toAgent(row)
    },
    async get(instanceId: string, id: string): Promise<AgentRecord> {
      return toRecord(await get(outside, instanceId, id))
    },

    /** @throws ApiError validation_error, invalid_state, provider_key_missing */
    async create({ id: instanceId, accountId }: InstanceSubject, body: CreateAgentBody): Promise<AgentRecord> {
      return db.commit(async (tx) => {
        const { count = 0 } = (await tx.one(agentCount, { instanceId })) ?? {}
        if (count >= LIMITS.aiAgents)
          throw new ApiError(
            'invalid_state',
            `This instance already has ${LIMITS.aiAgents} agents. Delete one first.`,
          ).because('agents_full', { n: LIMITS.aiAgents })
        const now = clock.now()
        const agent: Agent = {
          ...{ seq: await tx.next('ai_agents'), id: ids.uuid(), instanceId, name: body.name, provider: body.provider },
          ...{ model: body.model ?? null, systemPrompt: body.system_prompt ?? '', isPrimary: count === 0 },
          ...{ temperature: body.temperature ?? null, tools: body.tools ?? TOOLS, price: body.price ?? null },
          limits: body.limits ?? { tokens_per_day: null, cost_per_day_usd: null },
          ...{ createdAtMs: now, updatedAtMs: now },
        }
        requireWhole(agent)
        const replaces = body.is_primary === true && count > 0
        if (replaces) await tx.run(demotePrimary, { instanceId, now })
        const made = replaces ? { ...agent, isPrimary: true } : agent
        await tx.run(insertAgent, { ...toAgentRow(made), accountId })
        if (replaces) await requireUsable(tx, instanceId)
        return toRecord(made)
      })
    },

    /** @throws ApiError not_found, validation_error, invalid_state, provider_key_missing */
    async update(instanceId: string, id: string, body: UpdateAgentBody): Promise<AgentRecord> {
      return db.commit(async (tx) => {
        const before = await get(tx, instanceId, id)
        if (body.is_primary === false && before.isPrimary)
          throw new ApiError('invalid_state', 'This is the primary agent. Make another one primary instead.').because(
            'agent_is_primary',
          )
        const now = clock.now()
        const after: Agent = {
          ...withDraft(before, body),
          ...(body.limits !== undefined && { limits: body.limits }),
          ...(body.price !== undefined && { price: body.price }),
          ...(body.is_primary === true && { isPrimary: true }),
        }
        if (JSON.stringify(after) === JSON.stringify(before)) return toRecord(before)
        requireWhole(after)
        if (after.isPrimary && !before.isPrimary) await tx.run(demotePrimary, { instanceId, now })
        await tx.run(changeAgent, toAgentRow({ ...after, updatedAtMs: now }))
        const changesWhoAnswers = after.isPrimary && (!before.isPrimary || after.provider !== before.provider)
        if (changesWhoAnswers) await requireUsable(tx, instanceId)
        return toRecord({ ...after, updatedAtMs: now })
      })
    },

    async remove(instanceId: string, id: string): Promise<void> {
      await db.commit(async (tx) => {
        const { seq, isPrimary } = await get(tx, instanceId, id)
        await tx.run(removeStagesOfAgent, { agentId: id })
        await tx.run(removeMediaOfAgent, { agentId: id })
        await tx.run(removeHttpToolsOfAgent, { agentId: id })
        await tx.run(removeAgent, { seq })
        const next = isPrimary ? await tx.one(oldestAgent, { instanceId }) : undefined
        if (next) await tx.run(promoteAgent, { seq: next.seq, now: clock.now() })
      })
    },
  }
}

/** The agent with the given settings applied. */
const withDraft = (agent: Agent, draft: AgentDraft): Agent => ({
  ...agent,
  ...(draft.name !== undefined && { name: draft.name }),
  ...(draft.provider !== undefined && { provider: draft.provider }),
  ...(draft.model !== undefined && { model: draft.model }),
  ...(draft.system_prompt !== undefined && { systemPrompt: draft.system_prompt }),
  ...(draft.temperature !== undefined && { temperature: draft.temperature }),
  ...(draft.tools !== undefined && { tools: draft.tools }),
})

/**
 * An agent with settings that are not saved.
 * @throws ApiError validation_error
 */
export function tryDraft(agent: Agent, draft: AgentDraft): Agent {
  const tried = withDraft(agent, draft)
  requireWhole(tried)
  return tried
}

/** @throws ApiError validation_error */
function requireWhole({ provider, model, limits, price }: Agent): void {
  if (provider !== 'builtin' && (model === null || model.trim() === ''))
    throw new ApiError('validation_error', `model is required for the provider ${provider}.`).because(
      'field_required',
      { field: 'model' },
    )
  const isUnpriced = provider !== 'builtin' && price === null && priceOf(model ?? '') === null
  if (limits.cost_per_day_usd !== null && isUnpriced)
    throw new ApiError(
      'validation_error',
      `limits.cost_per_day_usd needs the price of ${model ?? 'the model'}, which is not known. Set price, or limit the tokens instead.`,
    ).because('price_unknown')
}

const toRecord = (agent: Agent): AgentRecord => ({
  ...{ id: agent.id, name: agent.name, provider: agent.provider, model: agent.model },
  ...{ system_prompt: agent.systemPrompt, is_primary: agent.isPrimary, temperature: agent.temperature },
  ...{ tools: [...agent.tools], limits: agent.limits, price: agent.price },
  created_at: isoTime(agent.createdAtMs),
  updated_at: isoTime(agent.updatedAtMs),
})
