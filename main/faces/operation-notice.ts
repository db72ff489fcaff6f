import type { Notice, Topic } from '../contract/notice.ts'
import type { Operation } from '../contract/operation.ts'

const TOPICS = {
  instances: true,
  messages: true,
  webhooks: true,
  deliveries: true,
  keys: true,
  approvals: true,
  sandbox: true,
  account: true,
  'tool-calls': true,
  assistants: true,
  events: true,
  fusion: true,
  service: true,
} as const satisfies Record<Topic, true>

/** The notice for windows after an operation changed something, derived from its path. */
export function noticeOf({ path, reach }: Operation, params: Readonly<Record<string, string>>): Notice {
  const topic = topicOf(path)
  const id = params['id']?.toLowerCase()
  if (id === undefined) return { topic }
  if (reach !== 'instance') return { topic, id: params['id'] ?? id }
  return topic === 'instances' ? { topic, id } : { topic, instance_id: id }
}

/** The last path segment that is a topic. Everything under the sandbox has the topic `sandbox`. */
function topicOf(path: string): Topic {
  const segments = path.split('/').filter((segment): segment is Topic => Object.hasOwn(TOPICS, segment))
  return segments.includes('sandbox') ? 'sandbox' : (segments.at(-1) ?? 'service')
}
