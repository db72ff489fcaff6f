import type { SignalKeyStore } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { EngineInstance } from '../instance.ts'
import type { EngineSink } from '../engine.ts'
import { askDirectory } from './directory.ts'
import { addressOf, hiddenJid, isGroupJid, numberJid } from './jid.ts'
import type { OpenLink } from './link.ts'
import { upsertCheckedNumber, upsertSeenPerson, setPersonNumber, personOf } from './store.ts'

const DAY_MS = 86_400_000
/** Numbers seldom change hands; asking about many at once has had numbers banned. */
const KNOWN_FOR_MS = 30 * DAY_MS
/** A person without WhatsApp today may join tomorrow. */
const MISSING_FOR_MS = DAY_MS
/** A message to somebody who wrote within this time is an answer, not a first contact. */
const WARM_FOR_MS = 90 * DAY_MS

/** Somebody who spoke, as the stanza names them: by number, by hidden id, or by both. */
export interface PersonName {
  readonly number: string | null
  readonly hiddenId: string | null
}

export interface People {
  /** Digits of the number if it is known, else of the hidden id. Publishes the link between the two when it is new. */
  nameOf(instance: EngineInstance, keys: SignalKeyStore, named: PersonName): Promise<string>
  /** They wrote to this instance, under this name. */
  seen(instance: EngineInstance, name: string, isHidden: boolean): Promise<void>
  /** Numbers that are known from now on. */
  numbersLearned(instance: EngineInstance, keys: SignalKeyStore, hiddenIds: readonly string[]): Promise<void>
  /** Where to send to; null: nobody on the network has the number. Asks the network about numbers it does not know. */
  addressOf(instance: EngineInstance, open: OpenLink, to: string): Promise<string | null>
  /** The same for many, in one question. @returns the number as the network writes it, or null. */
  check(instance: EngineInstance, open: OpenLink, numbers: readonly string[]): Promise<Map<string, string | null>>
  /** They have written to us, or WhatsApp says that they know us: a message to them is not a first contact. */
  isWarm(instance: EngineInstance, open: OpenLink, jid: string): Promise<boolean>
}

interface PeopleNeeds {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly sink: EngineSink
}

/**
 * Identities of people. The network knows everybody by a hidden id, and most people by a number as well; Brazilian mobiles
 * are written with or without a ninth digit there. Above the engine each of them is one contact.
 */
export function createPeople({ db, clock, sink }: PeopleNeeds): People {
  async function numberBehind(keys: SignalKeyStore, hiddenId: string): Promise<string | null> {
    const reverse = `${hiddenId}_reverse`
    return (await keys.get('lid-mapping', [reverse]))[reverse] ?? null
  }

  /** The rooms come first: after a crash between the two they get it again, which changes nothing. */
  async function introduce({ id: instanceId }: EngineInstance, hiddenId: string, number: string): Promise<void> {
    const known = await db.readOne(personOf, { instanceId, id: hiddenId })
    if (known?.hidden !== 1 || known.number === number) return
    const before = known.number
    if (before === null || personKey(before) === personKey(number))
      await sink(instanceId, { kind: 'contact', hiddenId, number })
    else await sink(instanceId, { kind: 'number_changed', before, after: number })
    await db.commit((tx) => tx.run(setPersonNumber, { instanceId, id: hiddenId, number }))
  }

  const isFresh = (number: string | null, checkedAtMs: number | null) =>
    checkedAtMs !== null && clock.now() - checkedAtMs < (number === null ? MISSING_FOR_MS : KNOWN_FOR_MS)

  /** Undefined: not known, or too long ago. */
  async function remembered({ id: instanceId }: EngineInstance, number: string): Promise<string | null | undefined> {
    const known = await db.readOne(personOf, { instanceId, id: number })
    return known?.hidden === 0 && isFresh(known.number, known.checkedAtMs) ? known.number : undefined
  }

  async function ask({ id: instanceId }: EngineInstance, open: OpenLink, numbers: readonly string[]) {
    const { found, pairs } = await askDirectory(open, numbers)
    if (pairs.length > 0) await open.sock.signalRepository.lidMapping.storeLIDPNMappings([...pairs])
    await db.commit(async (tx) => {
      for (const [id, number] of found) await tx.run(upsertCheckedNumber, { instanceId, id, number, now: clock.now() })
    })
    return found
  }

  async function check(instance: EngineInstance, open: OpenLink, numbers: readonly string[]) {
    const found = new Map<string, string | null>()
    const unknown: string[] = []
    for (const number of numbers) {
      const known = await remembered(instance, number)
      if (known === undefined) unknown.push(number)
      else found.set(number, known)
    }
    if (unknown.length > 0) for (const [number, there] of await ask(instance, open, unknown)) found.set(number, there)
    return found
  }

  return {
    async nameOf(instance, keys, { number, hiddenId }) {
      if (hiddenId === null) return number ?? ''
      const behind = number ?? (await numberBehind(keys, hiddenId))
      if (behind === null) return hiddenId
      await introduce(instance, hiddenId, behind)
      return behind
    },
    async seen({ id: instanceId }, name, isHidden) {
      const now = clock.now()
      const number = isHidden ? null : name
      const row = { instanceId, id: name, hidden: isHidden ? 1 : 0, number, now, before: now - DAY_MS } as const
      await db.commit((tx) => tx.run(upsertSeenPerson, row))
    },
    async numbersLearned(instance, keys, hiddenIds) {
      for (const hiddenId of hiddenIds) {
        const number = await numberBehind(keys, hiddenId)
        if (number !== null) await introduce(instance, hiddenId, number)
      }
    },
    async addressOf(instance, open, to) {
      if (isGroupJid(to)) return to
      const known = await db.readOne(personOf, { instanceId: instance.id, id: to })
      if (known?.hidden === 1 && known.number === null) return hiddenJid(to)
      // A hidden id whose number is known by now is the same person.
      const number = known?.hidden === 1 ? known.number : ((await check(instance, open, [to])).get(to) ?? null)
      if (number === null) return null
      // Another spelling is the same person already.
      if (personKey(number) !== personKey(to)) await sink(instance.id, { kind: 'contact', hiddenId: to, number })
      return numberJid(number)
    },
    check,
    async isWarm({ id: instanceId }, { session, sock }, jid) {
      const { user } = addressOf(jid)
      const known = await db.readOne(personOf, { instanceId, id: user })
      const heardAtMs = known?.heardAtMs ?? null
      if (heardAtMs !== null && clock.now() - heardAtMs < WARM_FOR_MS) return true
      const hidden = await sock.signalRepository.lidMapping.getLIDForPN(jid)
      const name = hiddenJid(addressOf(hidden ?? jid).user)
      const token = (await session.keys.get('tctoken', [name]))[name]
      return token !== undefined && token.token.length > 0
    },
  }
}
