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

/** Everything the network remembers, whoever is connected. */
export interface Network {
  readonly cdn: Cdn
  readonly faults: FaultsInside
  readonly pairings: Pairings
  /** Everybody has a phone: one that nobody made is made when it is needed. */
  phone(number: string): PhoneInside
  /** Somebody by the address of any of their devices. @throws for a hidden id nobody has. */
  who(jid: string): PhoneInside
  /** Numbers that lead to somebody, besides their own. */
  alias(number: string, canonical: string): void
  readonly groups: {
    get(id: string): GroupInside | undefined
    create(subject: string, founder: string, others: readonly string[], addressing?: Addressing): GroupInside
    of(number: string): readonly GroupInside[]
    linkedTo(communityId: string): readonly GroupInside[]
    invitedBy(code: string): GroupInside | undefined
  }
  readonly channels: Channels
  /** Tells every linked device in the group what somebody changed. */
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

/** A link that fails long after it was begun must not end the process of a test that has stopped waiting for it. */
function watched<T>(linking: Promise<T>): Promise<T> {
  linking.catch(() => {})
  return linking
}
