import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { EventOf, InCommit } from '../../kernel/ledger.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { addContact, setTerms } from './edit.ts'
import { noteHiddenName } from './identities.ts'
import { contactOf, setInstanceIn, setInstanceOut, setLastIn, setLastOut, setNames } from './store.ts'

type Heard = EventOf<'message.sent' | 'message.received'>

interface Written {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly phone: string
  readonly direction: 'in' | 'out'
  /** Profile name of the person; null: unknown. */
  readonly pushName: string | null
  /** The phone number is not known. */
  readonly isHidden: boolean
  readonly atMs: number
}

/**
 * Times are written at most once per person and instance in this interval, so that an active chat does not cost a
 * write per message.
 */
const PRECISION_MS = 60_000
/** Limit of cached chats; the cache is then cleared. */
const KNOWN = 50_000
const IS_GROUP = /@g[.]us$/
const PUSH_NAME_LENGTH = 200

/** Updates contacts in the commit of each received or sent message. */
export function createRecorder({
  clock,
  live,
}: {
  readonly clock: Pick<Clock, 'now'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}): { readonly inCommit: InCommit<Heard['type']>; readonly forget: () => void } {
  const recent = new Map<string, { readonly atMs: number; readonly pushName: string | null }>()

  const write = async (tx: Tx, { accountId, instanceId, phone, direction, pushName, isHidden, atMs }: Written) => {
    const number = personKey(phone)
    const key = `${instanceId} ${number} ${direction}`
    const last = recent.get(key)
    if (last !== undefined && atMs - last.atMs < PRECISION_MS && last.pushName === pushName) return
    const known = await tx.one(contactOf, { accountId, number })
    const contact = known ?? (await addContact(tx, { accountId, phone, now: clock.now() }))
    const { seq, givenName } = contact
    if (known === undefined && isHidden) await noteHiddenName(tx, accountId, seq, phone)
    if (pushName !== null && pushName !== contact.pushName) {
      await tx.run(setNames, { seq, givenName, pushName, now: clock.now() })
      if (givenName === null) await setTerms(tx, accountId, seq, pushName)
    }
    await tx.run(direction === 'in' ? setLastIn : setLastOut, { seq, at: atMs })
    await tx.run(direction === 'in' ? setInstanceIn : setInstanceOut, { seq, instanceId, at: atMs })
    tx.afterCommit(() => {
      if (recent.size >= KNOWN) recent.clear()
      recent.set(key, { atMs, pushName })
      live.publish(accountId, { topic: 'contacts' })
    })
  }

  return {
    inCommit: {
      phase: 'record',
      on: ['message.sent', 'message.received'],
      run: async (tx, event) => {
        const written = writtenIn(event)
        if (written !== undefined) await write(tx, written)
      },
    },
    /** After a contact was removed, the next message adds it again. */
    forget: () => recent.clear(),
  }
}

function writtenIn(event: Heard): Written | undefined {
  if (event.type === 'message.sent') {
    const { accountId, instanceId, data } = event
    if (IS_GROUP.test(data.chat)) return undefined
    const written = { accountId, instanceId, phone: data.to, atMs: event.createdAtMs }
    return { ...written, direction: 'out', pushName: null, isHidden: false }
  }
  if (event.data.is_group || event.data.type === 'poll_vote') return undefined
  const { accountId, instanceId, data } = event
  const atMs = Math.min(Date.parse(data.timestamp), event.createdAtMs)
  const written = { accountId, instanceId, atMs }
  if (data.from_me) return { ...written, phone: data.chat, direction: 'out', pushName: null, isHidden: false }
  const pushName = data.push_name?.trim().slice(0, PUSH_NAME_LENGTH) || null
  return { ...written, phone: data.from, direction: 'in', pushName, isHidden: data.from_lid !== undefined }
}
