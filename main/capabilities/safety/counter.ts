import type { Engine } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import { spellingsOf } from '../../kernel/phone-number.ts'
import {
  countSent,
  countSpamLimited,
  countWithheld,
  historyOf,
  insertFirst,
  lastMessageAt,
  quarterOf,
  releaseClaim,
  takeFirst,
  uncountSent,
} from './store.ts'

const DAY_MS = 86_400_000
const SPAM_LIMITED = 131_048
const WITHHELD = 131_049

export interface AcceptedMessage {
  readonly seq: number
  readonly instanceId: string
  readonly engine: Engine
  /** A number or a group. */
  readonly chat: string
  readonly atMs: number
}

/** A person as seen before a message. */
interface Acquaintance {
  readonly isCold: boolean
  readonly opens: boolean
  readonly isClaimed: boolean
}

/** Groups, and people who are known by a hidden id because they wrote. */
const isNoNumber = (chat: string) => chat.includes('@')

export async function acquaintanceOf(read: Pick<Tx, 'one'>, message: AcceptedMessage): Promise<Acquaintance> {
  const { seq: beforeSeq, instanceId } = message
  const [chat, other] = spellingsOf(message.chat)
  const { isKnown = 0, isClaimed = 0 } = (await read.one(historyOf, { instanceId, chat, other, beforeSeq })) ?? {}
  const claimed = { isClaimed: isClaimed === 1 }
  if (isNoNumber(chat)) return { isCold: false, opens: false, ...claimed }
  return { isCold: isKnown === 0, opens: message.engine === 'official' && !(await isOpen(read, message)), ...claimed }
}

/** Something was said in the last 24 hours, either way. */
async function isOpen(read: Pick<Tx, 'one'>, { seq: beforeSeq, instanceId, chat: to, atMs }: AcceptedMessage) {
  for (const chat of new Set(spellingsOf(to))) {
    const last = await read.one(lastMessageAt, { instanceId, chat, beforeSeq })
    if (last && last.atMs > atMs - DAY_MS) return true
  }
  return false
}

/** Counts a message in the commit that accepts it for sending, whoever sends it. */
export async function countAccepted(tx: Tx, message: AcceptedMessage): Promise<void> {
  const { seq, instanceId, atMs } = message
  const { isCold, opens, isClaimed } = await acquaintanceOf(tx, message)
  const [firstContact, opened] = [Number(isCold), Number(opens)]
  const quarter = quarterOf(atMs)
  await tx.run(countSent, { instanceId, quarter, firstContact, opened })
  if (isCold || opens) await tx.run(insertFirst, { instanceId, seq, quarter, firstContact, opened })
  if (isClaimed) await tx.run(releaseClaim, { instanceId, phone: spellingsOf(message.chat)[0] })
}

/** The message never left, and its row is gone. */
export async function takeBack(
  tx: Tx,
  { seq, instanceId, atMs }: Pick<AcceptedMessage, 'seq' | 'instanceId' | 'atMs'>,
): Promise<void> {
  const { firstContact, opened } = (await tx.one(takeFirst, { instanceId, seq })) ?? { firstContact: 0, opened: 0 }
  await tx.run(uncountSent, { instanceId, quarter: quarterOf(atMs), firstContact, opened })
}

/** Meta has refused a message. Other codes say nothing about the number. */
export async function countRefusal(tx: Tx, instanceId: string, providerCode: number | null, atMs: number) {
  const quarter = quarterOf(atMs)
  if (providerCode === SPAM_LIMITED) await tx.run(countSpamLimited, { instanceId, quarter })
  else if (providerCode === WITHHELD) await tx.run(countWithheld, { instanceId, quarter })
}
