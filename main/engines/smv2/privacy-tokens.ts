import { createHmac } from 'node:crypto'
import type { BinaryNode, SignalKeyStore } from 'baileys'
import { saltIn } from './contact-salt.ts'
import { addressOf } from './jid.ts'

const WEEK_SECONDS = 7 * 24 * 3_600
/** This week and the three before it. */
const WEEKS = 4

/** The token that somebody gave this account because they know it, unless it is too old. */
export async function trustedToken(keys: SignalKeyStore, hidden: string, nowMs: number): Promise<Buffer | undefined> {
  const { token, timestamp } = (await keys.get('tctoken', [hidden]))[hidden] ?? {}
  const week = (seconds: number) => Math.floor(seconds / WEEK_SECONDS)
  const isFresh = week(Number(timestamp ?? 0)) > week(nowMs / 1_000) - WEEKS
  return token?.length && isFresh ? Buffer.from(token) : undefined
}

/**
 * What a message to somebody who has given no token shows instead. Without it the network refuses first messages, to make
 * it harder to write to many strangers.
 * @param jid whom it goes to.
 */
export async function contactTokens(keys: SignalKeyStore, jid: string, nowMs: number): Promise<BinaryNode[]> {
  // The library adds the token of trust.
  if (addressOf(jid).kind !== 'hidden' || (await trustedToken(keys, jid, nowMs))) return []
  const salt = await saltIn(keys)
  return salt ? [{ tag: 'cstoken', attrs: {}, content: createHmac('sha256', salt).update(jid).digest() }] : []
}
