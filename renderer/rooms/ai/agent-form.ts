import { PROVIDERS, type AgentTool, type Provider } from '../../../main/contract/ai.ts'
import type { Body } from '../../app/operation-types.ts'
import type { Agent } from './store.ts'

export { PROVIDERS, type Provider }

/** Example instructions for kinds of businesses; the texts are `ai.example.<name>`. */
export const PROMPT_EXAMPLES = ['reception', 'sales', 'support', 'clinic'] as const

export interface BehaviourForm {
  name: string
  provider: Provider
  model: string
  prompt: string
  tools: AgentTool[]
  /** Empty: the model's default. */
  temperature: string
}

export const behaviourOf = (agent: Agent): BehaviourForm => ({
  name: agent.name,
  provider: agent.provider,
  model: agent.model ?? '',
  prompt: agent.system_prompt,
  tools: [...agent.tools],
  temperature: agent.temperature === null ? '' : String(agent.temperature),
})

export const isBuiltin = (provider: Provider): boolean => provider === 'builtin'

const temperatureOf = (text: string): number | null => (text.trim() === '' ? null : Number(text.replace(',', '.')))
const isTemperature = (text: string): boolean => {
  const value = temperatureOf(text)
  return value === null || (Number.isFinite(value) && value >= 0 && value <= 2)
}

export function agentBodyOf(form: BehaviourForm) {
  const model = form.model.trim()
  return {
    name: form.name.trim(),
    provider: form.provider,
    model: isBuiltin(form.provider) || model === '' ? null : model,
    system_prompt: form.prompt,
    tools: form.tools,
    temperature: isBuiltin(form.provider) ? null : temperatureOf(form.temperature),
  } satisfies Body<'updateAgent'>
}

/** Names of missing fields. */
export function listMissing({ name, provider, model, temperature }: Omit<BehaviourForm, 'tools' | 'prompt'>) {
  return [
    ...(name.trim() === '' ? (['name'] as const) : []),
    ...(!isBuiltin(provider) && model.trim() === '' ? (['model'] as const) : []),
    ...(isTemperature(temperature) ? [] : (['temperature'] as const)),
  ]
}
