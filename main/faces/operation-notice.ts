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

/** What windows are told when an operation has changed something: what its path says it is about. */
export function noticeOf({ path, reach }: Operation, params: Readonly<Record<string, string>>): Notice {
  const topic = topicOf(path)
  const id = params['id']?.toLowerCase()
  if (id === undefined) return { topic }
  if (reach !== 'instance') return { topic, id: params['id'] ?? id }
  return topic === 'instances' ? { topic, id } : { topic, instance_id: id }
}

/** The innermost of the path's segments that is a topic. In the sandbox all of it is about the sandbox. */
function topicOf(path: string): Topic {
  const segments = path.split('/').filter((segment): segment is Topic => Object.hasOwn(TOPICS, segment))
  return segments.includes('sandbox') ? 'sandbox' : (segments.at(-1) ?? 'service')
}
