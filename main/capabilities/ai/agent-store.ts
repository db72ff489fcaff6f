import type { AgentTool, Provider } from '../../contract/ai.ts'
import { sql } from '../../kernel/sql.ts'

/** A stored agent. Lists and objects are JSON. */
export interface AgentRow {
  readonly seq: number
  readonly id: string
  readonly instanceId: string
  readonly name: string
  readonly provider: Provider
  readonly model: string | null
  readonly systemPrompt: string
  readonly isPrimary: 0 | 1
  readonly temperature: string | null
  readonly tools: string
  readonly limits: string
  readonly price: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export interface Agent {
  readonly seq: number
  readonly id: string
  readonly instanceId: string
  readonly name: string
  readonly provider: Provider
  readonly model: string | null
  readonly systemPrompt: string
  readonly isPrimary: boolean
  readonly temperature: number | null
  readonly tools: readonly AgentTool[]
  readonly limits: { readonly tokens_per_day: number | null; readonly cost_per_day_usd: number | null }
  readonly price: { readonly input_per_million_usd: number; readonly output_per_million_usd: number } | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

type OfInstance = { instanceId: string }

const COLUMNS = `seq, id, instance_id AS instanceId, name, provider, model, system_prompt AS systemPrompt,
  is_primary AS isPrimary, temperature, tools, limits, price, created_at AS createdAtMs, updated_at AS updatedAtMs`

export const agentsPage = sql<OfInstance & { before: number; rows: number }, AgentRow>(
  `SELECT ${COLUMNS} FROM ai_agents WHERE instance_id = :instanceId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)
export const agentById = sql<OfInstance & { id: string }, AgentRow>(
  `SELECT ${COLUMNS} FROM ai_agents WHERE id = :id AND instance_id = :instanceId`,
)
export const primaryAgent = sql<OfInstance, AgentRow>(
  `SELECT ${COLUMNS} FROM ai_agents WHERE instance_id = :instanceId AND is_primary = 1`,
)
export const oldestAgent = sql<OfInstance, AgentRow>(
  `SELECT ${COLUMNS} FROM ai_agents WHERE instance_id = :instanceId ORDER BY seq LIMIT 1`,
)
export const agentCount = sql<OfInstance, { count: number }>(
  'SELECT COUNT(*) AS count FROM ai_agents WHERE instance_id = :instanceId',
)
/** For each instance with agents: how many, and the primary one. Covers one account. */
export const agentsByInstance = sql<
  { accountId: string },
  {
    instanceId: string
    agents: number
    id: string | null
    name: string | null
    provider: Provider | null
    model: string | null
    enabled: 0 | 1 | null
  }
>(
  `SELECT a.instance_id AS instanceId, COUNT(*) AS agents,
     MAX(CASE WHEN a.is_primary = 1 THEN a.id END) AS id,
     MAX(CASE WHEN a.is_primary = 1 THEN a.name END) AS name,
     MAX(CASE WHEN a.is_primary = 1 THEN a.provider END) AS provider,
     MAX(CASE WHEN a.is_primary = 1 THEN a.model END) AS model,
     MAX(s.enabled) AS enabled
   FROM ai_agents a LEFT JOIN ai_instances s ON s.instance_id = a.instance_id
   WHERE a.account_id = :accountId GROUP BY a.instance_id`,
)
export const insertAgent = sql<AgentRow & { accountId: string }>(
  `INSERT INTO ai_agents (seq, id, instance_id, account_id, name, provider, model, system_prompt, is_primary,
     temperature, tools, limits, price, created_at, updated_at)
   VALUES (:seq, :id, :instanceId, :accountId, :name, :provider, :model, :systemPrompt, :isPrimary,
     :temperature, :tools, :limits, :price, :createdAtMs, :updatedAtMs)`,
)
export const changeAgent = sql<Omit<AgentRow, 'id' | 'instanceId' | 'createdAtMs'>>(
  `UPDATE ai_agents SET name = :name, provider = :provider, model = :model, system_prompt = :systemPrompt,
     is_primary = :isPrimary, temperature = :temperature, tools = :tools, limits = :limits, price = :price,
     updated_at = :updatedAtMs WHERE seq = :seq`,
)
export const demotePrimary = sql<OfInstance & { now: number }>(
  'UPDATE ai_agents SET is_primary = 0, updated_at = :now WHERE instance_id = :instanceId AND is_primary = 1',
)
export const promoteAgent = sql<{ seq: number; now: number }>(
  'UPDATE ai_agents SET is_primary = 1, updated_at = :now WHERE seq = :seq',
)
export const removeAgent = sql<{ seq: number }>('DELETE FROM ai_agents WHERE seq = :seq')
export const removeAgentsOf = sql<OfInstance>('DELETE FROM ai_agents WHERE instance_id = :instanceId')

export const toAgent = ({ isPrimary, temperature, tools, limits, price, ...row }: AgentRow): Agent => ({
  ...row,
  isPrimary: isPrimary === 1,
  // The contract checked this value when it was stored.
  temperature: temperature === null ? null : Number(temperature),
  tools: JSON.parse(tools) as Agent['tools'],
  limits: JSON.parse(limits) as Agent['limits'],
  price: price === null ? null : (JSON.parse(price) as Agent['price']),
})

export const toAgentRow = ({ isPrimary, temperature, tools, limits, price, ...agent }: Agent): AgentRow => ({
  ...agent,
  isPrimary: isPrimary ? 1 : 0,
  temperature: temperature === null ? null : String(temperature),
  tools: JSON.stringify(tools),
  limits: JSON.stringify(limits),
  price: price === null ? null : JSON.stringify(price),
})
