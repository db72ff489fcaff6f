import type { AccountAiSettings, AiSettings, FollowUp } from './ai-settings.ts'
import type { Agent, Stage } from './ai.ts'
import type { Conversation, TestReply } from './ai-conversation.ts'

/** Examples of the operations of AI agents. */

const AT = '2026-03-01T09:30:00.000Z'
const AGENT_ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b70'
const STAGE_ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b71'
const FAQ_ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b61'

export const SETTINGS = {
  enabled: true,
  timezone: 'America/Sao_Paulo',
  business_hours: null,
  debounce_seconds: 6,
  max_replies_per_hour: 30,
  pause_on_human_minutes: 720,
  ignore_groups: true,
  answer_over_linked_number: false,
  answer_over_linked_number_source: 'account',
  handoff: { keywords: ['human', 'atendente'], message: null },
  updated_at: AT,
} satisfies AiSettings

export const ACCOUNT_SETTINGS = { answer_over_linked_number: true, updated_at: AT } satisfies AccountAiSettings

export const AGENT = {
  id: AGENT_ID,
  name: 'Reception',
  provider: 'openai',
  model: 'gpt-5-mini',
  system_prompt: 'You are the receptionist of a dental practice. Be brief and friendly.',
  is_primary: true,
  temperature: null,
  tools: ['faq_search', 'set_stage', 'handoff_to_human', 'send_media'],
  limits: { tokens_per_day: 2_000_000, cost_per_day_usd: 5 },
  price: null,
  created_at: AT,
  updated_at: AT,
} satisfies Agent

export const STAGE = {
  id: STAGE_ID,
  name: 'Qualify',
  objective: 'Find out which treatment the person wants, and when.',
  position: 1,
  exit_criteria: 'The treatment and a preferred day are known.',
  created_at: AT,
  updated_at: AT,
} satisfies Stage

export const FOLLOW_UP = {
  enabled: true,
  max_followups: 2,
  delays_minutes: [60, 1_440],
  quiet_hours: { start: '21:00', end: '08:00' },
  message: null,
  template: null,
  updated_at: AT,
} satisfies FollowUp

export const CONVERSATION = {
  phone: '12025550123',
  ai_active: true,
  paused_until: null,
  pause_reason: null,
  agent_id: AGENT_ID,
  stage_id: STAGE_ID,
  summary: null,
  handoff: null,
  answered_by: 'agent',
  last_inbound_at: AT,
  last_answer_at: '2026-03-01T09:30:08.000Z',
  follow_up: { sent: 0, due_at: '2026-03-01T10:30:08.000Z' },
  updated_at: '2026-03-01T09:30:08.000Z',
} satisfies Conversation

const SOURCES = [
  {
    kind: 'faq',
    id: FAQ_ID,
    title: 'What are your opening hours?',
    excerpt: 'Monday to Friday, 8 am to 6 pm.',
    score: 7.4,
  } as const,
]
const TOOL_CALLS = [
  { name: 'faq_search', arguments: { query: 'opening hours' }, result: 'Monday to Friday, 8 am to 6 pm.' },
]
const USAGE_OF_TURN = { input_tokens: 812, output_tokens: 64, cost_usd: 0.000331, duration_ms: 1_840 }

export const TEST_REPLY = {
  reply: 'We are open Monday to Friday, 8 am to 6 pm.',
  source: 'model',
  stage_id: STAGE_ID,
  handoff: null,
  tool_calls: TOOL_CALLS,
  usage: USAGE_OF_TURN,
  sources: SOURCES,
} satisfies TestReply

export const TURN = {
  turn: 1,
  state: 'answered',
  kind: 'reply',
  question: 'What are your opening hours?',
  reply: TEST_REPLY.reply,
  message_ids: ['msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'],
  reason: null,
  detail: null,
  source: 'model',
  agent_id: AGENT_ID,
  stage_id: STAGE_ID,
  sources: SOURCES,
  tool_calls: TOOL_CALLS,
  usage: USAGE_OF_TURN,
  created_at: AT,
  ended_at: '2026-03-01T09:30:08.000Z',
}

const COUNTS = {
  ...{ answered: 42, handed_over: 3, follow_ups: 5 },
  ...{ input_tokens: 34_104, output_tokens: 2_688, cost_usd: 0.0139 },
}
export const USAGE = { totals: COUNTS, waiting: 1, days: [{ day: '2026-03-01', ...COUNTS }] }

export const MEDIA = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b72',
  name: 'Price list',
  description: 'When somebody asks what a treatment costs.',
  media_type: 'document',
  mime_type: 'application/pdf',
  filename: 'prices.pdf',
  size: 48_213,
  created_at: AT,
} as const

export const HTTP_TOOL = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b73',
  name: 'order_status',
  description: 'Looks up an order by its number.',
  method: 'GET',
  url: 'https://shop.example.com/orders/{order_number}',
  parameters: [{ name: 'order_number', type: 'string', description: 'For example A-1042.', required: true } as const],
  enabled: true,
  secret_header: 'Authorization',
  has_secret: true,
  created_at: AT,
  updated_at: AT,
} as const

export const INSTANCE_SUMMARY = {
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b01',
  enabled: true,
  primary: { id: AGENT.id, name: AGENT.name, provider: AGENT.provider, model: AGENT.model },
  agents: 1,
  is_held: false,
  waiting: 2,
} as const
