import type { Tx } from '../../kernel/db.ts'
import {
  addToMinute,
  forgetMinutes,
  insertReached,
  lastReached,
  MINUTE_MS,
  minuteOf,
  minutesSince,
  moveClaimed,
  moveReached,
  nextReached,
  peopleBetween,
  peopleSince,
  putMinute,
  renameReached,
  setPortfolio,
  takeFromMinute,
  takeReached,
} from './reached-store.ts'

/**
 * Meta counts different people whom the numbers of a portfolio reach outside the 24-hour window, within a moving 24
 * hours. Here each person counts in the minute of their last message, in the commit that accepts it.
 */

export const DAY_MS = 86_400_000

interface Reached {
  readonly instanceId: string
  readonly seq: number
  readonly portfolio: string
  readonly person: string
  readonly atMs: number
}

type Write = Pick<Tx, 'one' | 'run'>

/** Counts a message outside the window. */
export async function countReached(tx: Write, { instanceId, seq, portfolio, person, atMs }: Reached): Promise<void> {
  const before = (await tx.one(lastReached, { portfolio, person }))?.atMs
  await tx.run(insertReached, { instanceId, seq, portfolio, person, at: atMs })
  await moveLast(tx, portfolio, before, Math.max(atMs, before ?? atMs))
}

/** The message was never delivered, so it does not count. */
export async function uncountReached(tx: Write, { instanceId, seq }: Pick<Reached, 'instanceId' | 'seq'>) {
  const taken = await tx.one(takeReached, { instanceId, seq })
  if (taken === undefined) return
  const { portfolio, person, atMs } = taken
  const after = (await tx.one(lastReached, { portfolio, person }))?.atMs
  await moveLast(tx, portfolio, Math.max(atMs, after ?? atMs), after)
}

/** One person was known under two names. */
export async function joinPeople(tx: Write, portfolio: string, from: string, to: string): Promise<void> {
  const lastOf = async (person: string) => (await tx.one(lastReached, { portfolio, person }))?.atMs
  const [first, second] = [await lastOf(from), await lastOf(to)]
  if (first === undefined || from === to) return
  await tx.run(renameReached, { portfolio, from, to })
  await moveLast(tx, portfolio, first, undefined)
  await moveLast(tx, portfolio, second, Math.max(first, second ?? first))
}

/** @param before when the person was last reached; undefined: not within any limit's period. */
async function moveLast(tx: Write, portfolio: string, before: number | undefined, after: number | undefined) {
  const [from, to] = [before, after].map((atMs) => (atMs === undefined ? undefined : minuteOf(atMs)))
  if (from === to) return
  if (from !== undefined) await tx.run(takeFromMinute, { portfolio, minute: from })
  if (to !== undefined) await tx.run(addToMinute, { portfolio, minute: to })
}

/** Moves the number's counts to another portfolio, when Meta reports who owns an account. */
export async function movePortfolio(
  tx: Write,
  instanceId: string,
  { from, to }: { readonly from: string | null; readonly to: string },
): Promise<void> {
  await tx.run(setPortfolio, { instanceId, portfolio: to })
  if (from === null) return
  await tx.run(moveClaimed, { instanceId, from, to })
  if ((await tx.run(moveReached, { instanceId, from, to })) === 0) return
  await countMinutes(tx, from)
  await countMinutes(tx, to)
}

/** Counts minute by minute, because a list of all people may be long. */
async function countMinutes(tx: Write, portfolio: string): Promise<void> {
  await tx.run(forgetMinutes, { portfolio })
  for (let from = 0; ;) {
    const next = await tx.one(nextReached, { portfolio, from })
    if (next === undefined) return
    const minute = minuteOf(next.atMs)
    from = (minute + 1) * MINUTE_MS
    const { people = 0 } = (await tx.one(peopleBetween, { portfolio, since: minute * MINUTE_MS - 1, end: from })) ?? {}
    if (people > 0) await tx.run(putMinute, { portfolio, minute, people })
  }
}

/** Whether the person is already counted, so that another message does not count again. */
export async function isReached(read: Pick<Tx, 'one'>, portfolio: string, person: string, nowMs: number) {
  const last = await read.one(lastReached, { portfolio, person })
  return last !== undefined && last.atMs > nowMs - DAY_MS
}

/**
 * People reached in the last 24 hours.
 * @param enough a result below this may include people who leave the 24 hours within a minute; null: exact.
 */
export async function peopleReached(
  read: Pick<Tx, 'one'>,
  portfolio: string,
  nowMs: number,
  enough: number | null = null,
): Promise<number> {
  const edge = minuteOf(nowMs - DAY_MS)
  const peopleFrom = async (minute: number) => (await read.one(peopleSince, { portfolio, minute }))?.people ?? 0
  if (enough !== null) {
    const atMost = await peopleFrom(edge)
    if (atMost < enough) return atMost
  }
  return (await peopleFrom(edge + 1)) + (await peopleOfEdge(read, portfolio, nowMs))
}

/** People of the minute in which the 24 hours began. */
async function peopleOfEdge(read: Pick<Tx, 'one'>, portfolio: string, nowMs: number): Promise<number> {
  const since = nowMs - DAY_MS
  const end = (minuteOf(since) + 1) * MINUTE_MS
  return (await read.one(peopleBetween, { portfolio, since, end }))?.people ?? 0
}

/** When that many people have left the 24 hours, rounded to the minute. */
export async function freeAt(
  read: Pick<Tx, 'one' | 'all'>,
  portfolio: string,
  nowMs: number,
  people: number,
): Promise<number> {
  const edge = minuteOf(nowMs - DAY_MS)
  let left = people - (await peopleOfEdge(read, portfolio, nowMs))
  if (left <= 0) return (edge + 1) * MINUTE_MS + DAY_MS
  for (const { minute, people: leaving } of await read.all(minutesSince, { portfolio, minute: edge + 1 })) {
    left -= leaving
    if (left <= 0) return (minute + 1) * MINUTE_MS + DAY_MS
  }
  // The others were granted and are being sent.
  return (minuteOf(nowMs) + 1) * MINUTE_MS + DAY_MS
}
