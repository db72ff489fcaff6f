import { isoTimeOrNull } from '../../contract/request.ts'
import type { Change, LinkEvent } from './link-event.ts'
import type { Link } from './store.ts'

type BanReason = 'banned' | 'temporary_ban'

const isBanReason = (reason: string | null): reason is BanReason => reason === 'banned' || reason === 'temporary_ban'

/** @returns why the number is banned; undefined when it is not, or a temporary ban is over. */
export function findBan(
  {
    loggedIn,
    lastDisconnectReason,
    blockedUntilMs,
  }: Pick<Link, 'loggedIn' | 'lastDisconnectReason' | 'blockedUntilMs'>,
  nowMs: number,
): BanReason | undefined {
  if (loggedIn || !isBanReason(lastDisconnectReason)) return undefined
  const isOver = lastDisconnectReason === 'temporary_ban' && blockedUntilMs !== null && blockedUntilMs <= nowMs
  return isOver ? undefined : lastDisconnectReason
}

/** A pairing that succeeds, a recreate that asks for a clean start, or newer facts about the ban. */
const replacesBan = (event: LinkEvent) =>
  event.kind === 'connected' || event.kind === 'recreate' || (event.kind === 'auth_failed' && isBanReason(event.reason))

/**
 * A banned number may be paired again, but an attempt that fails says nothing about the ban. So the reason, its end and
 * the number stay while it runs, and when it ends the instance is back in `auth_failed` with them.
 */
export function preserveBan(before: Link, event: LinkEvent, change: Change, nowMs: number): Change {
  const reason = findBan(before, nowMs)
  if (reason === undefined || replacesBan(event)) return change
  const { phoneNumber, profileName, disconnectCode, blockedUntilMs } = before
  const facts = { phoneNumber, profileName, lastDisconnectReason: reason, disconnectCode, blockedUntilMs }
  const { status } = change.link
  if (status !== 'disconnected' && status !== 'auth_failed') return { ...change, link: { ...change.link, ...facts } }
  return {
    ...change,
    link: { ...change.link, ...facts, status: 'auth_failed' },
    announcement: change.announcement && {
      type: 'instance.auth_failed',
      data: { reason, code: disconnectCode, until: isoTimeOrNull(blockedUntilMs) },
    },
  }
}
