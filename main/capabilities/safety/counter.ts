import type { Engine } from '../../contract/shapes.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { Tx } from '../../kernel/db.ts'
import { spellingsOf } from '../../kernel/phone-number.ts'
import { countReached, DAY_MS, isReached, uncountReached } from './reached.ts'
import { wroteSince } from './reached-store.ts'
import {
  countSent,
  countSpamLimited,
  countWithheld,
  historyOf,
  insertFirst,
  quarterOf,
  releaseClaim,
  takeFirst,
  uncountSent,
} from './store.ts'

const SPAM_LIMITED = 131_048
const WITHHELD = 131_049

export interface AcceptedMessage {
  readonly seq: number
  readonly instanceId: string
  readonly engine: Engine
  /** A phone number or a group. */
  readonly chat: string
  readonly atMs: number
}

/** The relation to a person before a message. */
interface Acquaintance {
  readonly isCold: boolean
  readonly isClaimed: boolean
}

/** Groups, and people of smv2 with a hidden id, who have written first. */
const isNoNumber = (chat: string) => chat.includes('@')

async function acquaintanceOf(read: Pick<Tx, 'one'>, message: AcceptedMessage): Promise<Acquaintance> {
  const { seq: beforeSeq, instanceId } = message
  const [chat, other] = spellingsOf(message.chat)
  const { isKnown = 0, isClaimed = 0 } = (await read.one(historyOf, { instanceId, chat, other, beforeSeq })) ?? {}
  return { isCold: !isNoNumber(chat) && isKnown === 0, isClaimed: isClaimed === 1 }
}

interface To {
  readonly instanceId: string
  readonly chat: string
  readonly atMs: number
}

/** Whether the person has not written in the last 24 hours, so that Meta counts a message to them. */
async function isOutsideWindow(read: Pick<Tx, 'one'>, { instanceId, chat: to, atMs }: To): Promise<boolean> {
  if (isNoNumber(to)) return false
  for (const chat of new Set([to, ...spellingsOf(to)])) {
    const wrote = await read.one(wroteSince, { instanceId, chat, since: atMs - DAY_MS, until: atMs })
    if (wrote !== undefined) return false
  }
  return true
}

/** Whether a message would add this person to those that the portfolio has reached. */
export async function isOneMore(read: Pick<Tx, 'one'>, portfolio: string, to: To): Promise<boolean> {
  return (await isOutsideWindow(read, to)) && !(await isReached(read, portfolio, spellingsOf(to.chat)[0], to.atMs))
}

/** @returns the portfolio whose limit counts messages of the instance; null: none. */
export type PortfolioOf = (tx: Tx, instanceId: string) => Promise<string | null>

/** Counts a message in the commit that accepts it for sending, from any source. */
export async function countAccepted(tx: Tx, message: AcceptedMessage, portfolioOf: PortfolioOf): Promise<void> {
  const { seq, instanceId, engine, chat, atMs } = message
  const { isCold, isClaimed } = await acquaintanceOf(tx, message)
  const [person] = spellingsOf(chat)
  const quarter = quarterOf(atMs)
  await tx.run(countSent, { instanceId, quarter, firstContact: Number(isCold) })
  if (isCold) await tx.run(insertFirst, { instanceId, seq, quarter })
  if (isClaimed) await tx.run(releaseClaim, { instanceId, phone: person })
  if (!TRAITS[engine].sharesLimit || !(await isOutsideWindow(tx, message))) return
  const portfolio = await portfolioOf(tx, instanceId)
  if (portfolio !== null) await countReached(tx, { instanceId, seq, portfolio, person, atMs })
}

/** The message was never sent, and its row was deleted. */
export async function takeBack(
  tx: Tx,
  { seq, instanceId, atMs }: Pick<AcceptedMessage, 'seq' | 'instanceId' | 'atMs'>,
): Promise<void> {
  const { firstContact } = (await tx.one(takeFirst, { instanceId, seq })) ?? { firstContact: 0 }
  await tx.run(uncountSent, { instanceId, quarter: quarterOf(atMs), firstContact })
  await uncountReached(tx, { instanceId, seq })
}

/** Counts a refusal by Meta. Other codes say nothing about the number. */
export async function countRefusal(tx: Tx, instanceId: string, providerCode: number | null, atMs: number) {
  const quarter = quarterOf(atMs)
  if (providerCode === SPAM_LIMITED) await tx.run(countSpamLimited, { instanceId, quarter })
  else if (providerCode === WITHHELD) await tx.run(countWithheld, { instanceId, quarter })
}
