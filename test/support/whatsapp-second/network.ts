import { parseAddress, type Address } from './address.ts'
import type { Companion } from './companion.ts'
import { createFaults, type Faults } from './faults.ts'
import { createFiles, type Files } from './files.ts'
import { createGroups, type Groups } from './groups.ts'
import type { Link, Visitor } from './link.ts'
import { createRegistrant, linkingOf, type Registrant } from './linking.ts'
import type { Node } from './node.ts'
import { createPerson, type Person } from './person.ts'
import { openSession, turnAway } from './session.ts'

/** Everything behind the connections: the accounts with their phones, and the data of the server. */
export interface Network {
  readonly faults: Faults
  readonly files: Files
  readonly groups: Groups
  readonly heldAckMs: number
  /** Descriptions of what a client did that no real client does. */
  readonly complaints: string[]
  person(number: string): Person
  /** Finds a person by number or hidden id, if the account exists. */
  somebody(jid: string | undefined): Person | undefined
  /** Finds the linked device with this address. */
  companion(address: Address): Companion | undefined
  /** The number that this number is an alias for. */
  canonical(number: string): string
  alias(number: string, canonical: string): void
  complain(what: string): void
  later(ms: number, act: () => void): void
  greet(link: Link): Visitor
  registrants(): readonly Registrant[]
  /** The device that sent each message, by the id of the message. */
  readonly senders: Map<string, Companion>
  /** All routing bytes, in hex, that devices got to reach the same server again. */
  readonly routes: Set<string>
  close(): void
}

const FIRST_LID = 184_000_000_000_000
const LID_STEP = 7_919_317

export function createNetwork(heldAckMs: number): Network {
  const people = new Map<string, Person>()
  const byLid = new Map<string, Person>()
  const aliases = new Map<string, string>()
  const registrants: Registrant[] = []
  const timers = new Set<NodeJS.Timeout>()
  const complaints: string[] = []
  const faults = createFaults()
  const files = createFiles()

  const person: Network['person'] = (number) => {
    const found = people.get(number)
    if (found) return found
    const lid = String(FIRST_LID + people.size * LID_STEP)
    const made: Person = createPerson(number, lid, {
      ...{ files, person, somebody, later, complain },
      group: (id) => network.groups.get(id),
      link: (whose) => linkingOf(whose, network),
      isSilent: (whose) => whose.endsWith('0007'),
    })
    people.set(number, made)
    byLid.set(lid, made)
    return made
  }
  const somebody: Network['somebody'] = (jid) => {
    const address = parseAddress(jid)
    if (address?.server === 'number') return person(network.canonical(address.user))
    return address?.server === 'lid' ? byLid.get(address.user) : undefined
  }
  const later: Network['later'] = (ms, act) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      act()
    }, ms)
    timers.add(timer)
  }
  const complain = (what: string) => void complaints.push(what)
  const announce = (numbers: readonly string[], notice: Node) => {
    for (const number of numbers) person(number).tellCompanions(notice)
  }

  const network: Network = {
    ...{ faults, files, heldAckMs, complaints, person, somebody, complain, later },
    groups: createGroups({ somebody, person, announce }),
    senders: new Map(),
    routes: new Set(),
    companion({ user, server, device }) {
      const owner = server === 'lid' ? byLid.get(user) : people.get(user)
      return owner?.companions.find(({ id }) => id === device)
    },
    canonical: (number) => aliases.get(number) ?? number,
    alias: (number, canonical) => void aliases.set(number, canonical),
    greet(link) {
      if ((link.payload.userAgent?.appVersion?.tertiary ?? 0) < faults.oldestVersion) return turnAway(link, 405)
      if (link.payload.username) return openSession(network, link)
      const made = createRegistrant(link, faults)
      registrants.push(made)
      return made
    },
    registrants: () => registrants,
    close() {
      for (const timer of timers) clearTimeout(timer)
      for (const one of registrants) one.gone()
    },
  }
  return network
}
