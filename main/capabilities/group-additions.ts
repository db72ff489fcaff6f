import { ApiError } from '../contract/errors.ts'
import { isoTime } from '../contract/request.ts'
import type { DirectActs, MemberResult } from '../engines/direct.ts'
import type { Engine } from '../engines/engine.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Db, Tx } from '../kernel/db.ts'
import type { InstanceSubject } from './handler.ts'
import type { Addition, AdditionResult } from './safety/index.ts'

interface AdditionsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly safety: AdditionsPort
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
}

/** The safety functions for people whom a number adds to groups. */
interface AdditionsPort {
  addToGroup(tx: Tx, addition: Addition): Promise<AdditionResult>
  notAdded(tx: Tx, addition: Omit<Addition, 'accountId'>): Promise<void>
}

/** People who are about to be added to a group and already count as first contacts. */
export interface Reservation {
  /** Adds them. People who turn out not to be new in the group do not count. */
  during<T>(add: () => Promise<T>, resultsOf: (added: T) => readonly MemberResult[]): Promise<T>
  /** Frees the reservation, unless `during` has used it. */
  giveBack(): Promise<void>
}

/** @throws ApiError invalid_state if the number may not contact so many new people now. Then nothing is reserved. */
export type ReserveAdditions = (instance: InstanceSubject, phones: readonly string[]) => Promise<Reservation>

/** Errors that prove that no member was added. After any other error, some may have been. */
const NOTHING_DONE: readonly string[] = ['invalid_state', 'not_found', 'not_ready', 'engine_mismatch', 'rate_limited']

/**
 * Strangers who are added to groups report a number as often as strangers who get messages, so both share one budget.
 */
export function createGroupAdditions({ db, clock, safety, instances }: AdditionsDeps): ReserveAdditions {
  return async (instance, phones) => {
    const { accountId, id: instanceId } = instance
    if (phones.length === 0 || instances.engineFor(instance).addsToGroups !== true) return NOBODY
    const atMs = clock.now()
    const result = await db.commit((tx) => safety.addToGroup(tx, { accountId, instanceId, phones, atMs }))
    if (result.kind === 'refused') throw refused(result)
    const giveBack = (people: readonly string[]) =>
      people.length === 0
        ? Promise.resolve()
        : db.commit((tx) => safety.notAdded(tx, { instanceId, phones: people, atMs }))
    let isTried = false
    return {
      async during(add, resultsOf) {
        isTried = true
        try {
          const added = await add()
          const members = resultsOf(added).flatMap(({ number, reason }) => (reason === 'already_member' ? number : []))
          await giveBack(result.strangers.filter((phone) => members.includes(phone)))
          return added
        } catch (error) {
          if (error instanceof ApiError && NOTHING_DONE.includes(error.code)) await giveBack(result.strangers)
          throw error
        }
      },
      async giveBack() {
        if (isTried) return
        isTried = true
        await giveBack(result.strangers)
      },
    }
  }
}

const NOBODY: Reservation = { during: (add) => add(), giveBack: () => Promise.resolve() }

/** The engine functions that add people to groups, with the safety checks before them. */
export function guardAdditions<K extends keyof DirectActs>(
  name: K,
  act: DirectActs[K],
  reserve: (phones: readonly string[]) => Promise<Reservation>,
): DirectActs[K] {
  const guarded: Partial<DirectActs> = {
    async createGroup(instance, subject, numbers, ...more) {
      const create = act as DirectActs['createGroup']
      const reservation = await reserve(numbers)
      return reservation.during(
        () => create(instance, subject, numbers, ...more),
        ({ results }) => results,
      )
    },
    async changeMembers(instance, id, change, numbers) {
      const changeMembers = act as DirectActs['changeMembers']
      if (change !== 'add') return changeMembers(instance, id, change, numbers)
      const reservation = await reserve(numbers)
      return reservation.during(
        () => changeMembers(instance, id, change, numbers),
        (results) => results,
      )
    },
  }
  return guarded[name] ?? act
}

function refused({ message, left, strangers, untilMs }: Extract<AdditionResult, { kind: 'refused' }>): ApiError {
  const when = untilMs === null ? '' : ` Try again after ${isoTime(untilMs)}.`
  const why =
    message ??
    `${strangers} of the people have never exchanged a message with this number, and it may reach ${left} new ones now.`
  return new ApiError('invalid_state', `Nothing was changed, and nobody was added to the group. ${why}${when}`).because(
    'group_additions',
    { n: left },
  )
}
