import type { NewChatLimit, Phone, PhoneCore, PhoneInside, Surroundings } from './people.ts'
import { newMessageId } from './speech.ts'
import { lidJid, numberJid, seconds, stanza, type Stanza } from './stanza.ts'

type Notices = Pick<Phone, 'call' | 'hangUp' | 'trust' | 'restrict' | 'limitNewChats'> &
  Pick<PhoneInside, 'restrictedUntil' | 'newChatCap' | 'startsChatWith'>

/** Notifications to linked devices besides messages: calls, privacy tokens, and restrictions of the account. */
export function createNotices({ number, lid }: PhoneCore, around: Surroundings): Notices {
  const calls = new Map<string, string>()
  let restrictedUntil: number | null = null
  let limit: NewChatLimit | null = null
  const started = new Set<string>()

  const currentLimit = () => (limit !== null && limit.untilSeconds > seconds() ? limit : null)
  function cap() {
    const current = currentLimit()
    if (current === null) return { capping_status: 'NONE', used_quota: 0, total_quota: -1 }
    const isUsed = started.size >= current.total
    return {
      capping_status: isUsed ? 'CAPPED' : 'NONE',
      used_quota: started.size,
      total_quota: current.total,
      cycle_end_timestamp: String(current.untilSeconds),
    }
  }
  function tellCap(): void {
    const data = { xwa2_notify_new_chat_messages_capping_info_update: cap() }
    const update = stanza(
      'update',
      { op_name: 'MessageCappingInfoNotification' },
      Buffer.from(JSON.stringify({ data })),
    )
    tell(number, notice({ type: 'mex', from: 's.whatsapp.net' }, update))
  }

  function tell(other: string, node: Stanza): void {
    for (const device of around.phone(other).devices) device.enqueue(node)
  }
  const notice = (attributes: Record<string, string>, content: Stanza) =>
    stanza('notification', { ...attributes, id: newMessageId(), t: seconds() }, [content])

  function ring(to: string, callId: string, tag: 'offer' | 'terminate', more: Record<string, string> = {}): void {
    const call = { 'call-id': callId, 'call-creator': lidJid(lid), caller_pn: numberJid(number), ...more }
    tell(to, stanza('call', { from: lidJid(lid), id: newMessageId(), t: seconds() }, [stanza(tag, call)]))
  }

  return {
    get restrictedUntil() {
      return restrictedUntil
    },
    get newChatCap() {
      return cap()
    },
    startsChatWith(other) {
      const current = currentLimit()
      if (current === null || started.has(other)) return true
      if (started.size >= current.total) return false
      started.add(other)
      if (started.size >= current.total) tellCap()
      return true
    },
    limitNewChats(next) {
      limit = next
      started.clear()
      tellCap()
    },
    call(to) {
      const id = newMessageId()
      calls.set(id, to)
      ring(to, id, 'offer')
      return id
    },
    hangUp(id) {
      const to = calls.get(id)
      if (to === undefined) throw new Error(`${number} does not ring with call ${id}`)
      ring(to, id, 'terminate', { reason: 'timeout' })
    },
    trust(other) {
      const attributes = { jid: lidJid(lid), t: seconds(), type: 'trusted_contact' }
      const tokens = stanza('tokens', {}, [stanza('token', attributes, Buffer.from(`token of ${number}`))])
      tell(other, notice({ type: 'privacy_token', from: numberJid(number), sender_lid: lidJid(lid) }, tokens))
    },
    restrict(untilSeconds) {
      restrictedUntil = untilSeconds
      const data = { xwa2_notify_account_reachout_timelock: timeLock(untilSeconds) }
      const name = { op_name: 'NotificationUserReachoutTimelockUpdate' }
      const update = stanza('update', name, Buffer.from(JSON.stringify({ data })))
      tell(number, notice({ type: 'mex', from: 's.whatsapp.net' }, update))
    },
  }
}

/** The restriction of an account in the network's format. */
export const timeLock = (untilSeconds: number | null) => ({
  is_active: untilSeconds !== null,
  time_enforcement_ends: untilSeconds === null ? null : String(untilSeconds),
  enforcement_type: 'DEFAULT',
})
