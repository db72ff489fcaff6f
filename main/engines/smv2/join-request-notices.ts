import type { BinaryNode } from 'baileys'
import { isGroupJid } from './jid.ts'
import type { JoinRequestChange } from './raw-line-event.ts'

const CREATED = 'created_membership_requests'
const ENDED: ReadonlySet<string> = new Set(['revoked_membership_requests', 'deleted_membership_requests'])

/**
 * What a notification says of requests to join. The library reports one person of it only, and the wrong one where a
 * member asks for others.
 */
export function readJoinRequestNotice({ tag, attrs, content }: BinaryNode): JoinRequestChange | undefined {
  const { from: groupId = '', type, participant: by, participant_pn: byNumber } = attrs
  if (tag !== 'notification' || type !== 'w:gp2' || !isGroupJid(groupId) || !Array.isArray(content)) return undefined
  const change = content.find((child) => child.tag === CREATED || ENDED.has(child.tag))
  if (change === undefined) return undefined
  const named = Array.isArray(change.content) ? change.content : []
  const people = named.flatMap(({ attrs: { jid, phone_number: number } }) => (jid ? [{ jid, number }] : []))
  if (people.length === 0 && by) people.push({ jid: by, number: byNumber })
  if (people.length === 0) return undefined
  return { kind: 'join_requests', groupId, isCreated: change.tag === CREATED, by, people }
}
