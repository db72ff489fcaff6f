import { createChannels, type Channels } from './channels.ts'
import { createFaults, type FaultsInside } from './faults.ts'
import {
  createGroup,
  groupNotice,
  joinRequestNotice,
  timerNotice,
  type Addressing,
  type GroupInside,
} from './groups.ts'
import { createCdn, type Cdn } from './media.ts'
import { createPairings, type Pairings } from './pairing.ts'
import type { PhoneInside } from './people.ts'
import { createPhone } from './phone.ts'
import { newMessageId } from './speech.ts'
import { readAddress, type Stanza } from './stanza.ts'

/** The data of the network, which exists independently of connections. */
export interface Network {
  readonly cdn: Cdn
  readonly faults: FaultsInside
  readonly pairings: Pairings
  /** The phone with this number, which is created on the first call. */
  phone(number: string): PhoneInside
  /** Finds a person by the address of one of their devices. @throws for an unknown hidden id. */
  who(jid: string): PhoneInside
  /** Makes a number an alias of another one. */
  alias(number: string, canonical: string): void
  readonly groups: {
    get(id: string): GroupInside | undefined
    create(subject: string, founder: string, others: readonly string[], addressing?: Addressing): GroupInside
    of(number: string): readonly GroupInside[]
    linkedTo(communityId: string): readonly GroupInside[]
    invitedBy(code: string): GroupInside | undefined
  }
  readonly channels: Channels
  /** Notifies all linked devices in the group about a change that somebody made. */
  announce(group: GroupInside, by: PhoneInside, what: Stanza): void
  later(ms: number, act: () => void): void
  close(): void
}

const FIRST_LID = 900_000_000_000_000

export function createNetwork(heldAckMs?: number): Network {
  const phones = new Map<string, PhoneInside>()
  const byLid = new Map<string, PhoneInside>()
  const aliases = new Map<string, string>()
  const groups = new Map<string, GroupInside>()
  const timers = new Set<NodeJS.Timeout>()
  const cdn = createCdn()
  const faults = createFaults(heldAckMs)
  const pairings = createPairings(faults)

  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      act()
    }, ms)
    timers.add(timer)
  }

  function phone(number: string): PhoneInside {
    const canonical = aliases.get(number) ?? number
    const found = phones.get(canonical)
    if (found !== undefined) return found
    const lid = String(FIRST_LID + phones.size + 1)
    const around = { cdn, phone, group: (id: string) => groups.get(id), later, setTimer }
    const made = createPhone({ number: canonical, lid }, around, (one) => ({
      scan: (qr, how) => watched(pairings.scan(one(), qr, how)),
      enter: (code) => watched(pairings.enter(one(), code)),
    }))
    phones.set(canonical, made)
    byLid.set(lid, made)
    return made
  }

  function announce(group: GroupInside, by: PhoneInside, what: Stanza): void {
    const notice = groupNotice(group, by, what, newMessageId())
    for (const device of group.members.flatMap((number) => phone(number).devices)) device.enqueue(notice)
  }

  function setTimer(group: GroupInside, by: PhoneInside, after: number): void {
    group.setTimer(after)
    announce(group, by, timerNotice(after))
  }

  return {
    cdn,
    pairings,
    faults,
    phone,
    who(jid) {
      const { user, kind } = readAddress(jid)
      const found = kind === 'lid' ? byLid.get(user) : phone(user)
      if (found === undefined) throw new Error(`nobody has the hidden id ${user}`)
      return found
    },
    alias: (number, canonical) => void aliases.set(number, canonical),
    groups: {
      get: (id) => groups.get(id),
      create(subject, founder, others, addressing = 'lid') {
        const group = createGroup(subject, founder, others, addressing, (asked, request) => {
          const notice = joinRequestNotice(asked, phone(request.number), request, newMessageId())
          for (const device of asked.admins.flatMap((number) => phone(number).devices)) device.enqueue(notice)
        })
        groups.set(group.id, group)
        return group
      },
      invitedBy: (code) => [...groups.values()].find(({ inviteCode }) => inviteCode === code),
      of: (number) => [...groups.values()].filter(({ members }) => members.includes(number)),
      linkedTo: (id) => [...groups.values()].filter(({ communityId }) => communityId === id),
    },
    channels: createChannels(cdn),
    announce,
    later,
    close() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Prevents an unhandled rejection if linking fails after the test has stopped waiting for it. */
function watched<T>(linking: Promise<T>): Promise<T> {
  linking.catch(() => {})
  return linking
}
