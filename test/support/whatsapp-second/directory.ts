import { randomBytes } from 'node:crypto'
import { lidJid, numberJid, parseAddress } from './address.ts'
import { uint } from './bytes.ts'
import type { Network } from './network.ts'
import { childOf, childrenOf, errorOf, node, resultOf, textIn, type Node } from './node.ts'
import { bundleNodes, type Person } from './person.ts'
import type { Bundle } from './ratchet.ts'
import type { Session } from './session.ts'

const NOT_HERE = '0404'
const CUTS = '0502'
/** The protocols that a current client requests in one query about numbers. */
const CONTACT_PROTOCOLS = ['contact', 'business', 'disappearing_mode', 'username']

/** Answers queries about people: whether they exist, their other address, and their devices. */
export function answerDirectory({ network, link }: Session, iq: Node): void {
  const usync = childOf(iq, 'usync')
  const query = childOf(usync, 'query')
  const protocols = childrenOf(query).map(({ tag }) => tag)
  const isForHiddenIds = childOf(query, 'contact')?.attrs['addressing_mode'] === 'lid'
  const isOldForm = !isForHiddenIds || CONTACT_PROTOCOLS.some((tag) => !protocols.includes(tag))
  if (network.faults.demandsCurrentForms && protocols.includes('contact') && isOldForm)
    return link.send(errorOf(iq, 400, 'bad-request'))
  const users = childrenOf(childOf(usync, 'list'), 'user')
  const numbers = users.map((user) => textIn(user, 'contact'))
  const asked = users.map(({ attrs }, at) => attrs['jid'] ?? numberJid(numbers[at]?.replace('+', '') ?? ''))
  if (protocols.includes('devices') && asked.some((jid) => network.somebody(jid)?.number.endsWith(CUTS)))
    return link.drop()
  const found = asked.map((jid, at) => describe(network, { jid, number: numbers[at] ?? '', isForHiddenIds }, protocols))
  const { sid, index, last, mode, context } = usync?.attrs ?? {}
  const results = node(
    'result',
    {},
    protocols.map((tag) => node(tag)),
  )
  link.send(resultOf(iq, [node('usync', { sid, index, last, mode, context }, [results, node('list', {}, found)])]))
}

interface Question {
  readonly jid: string
  /** The number as the client wrote it; empty if the query contains an address. */
  readonly number: string
  /** The answer uses hidden ids and adds the numbers. */
  readonly isForHiddenIds: boolean
}

function describe(network: Network, question: Question, protocols: readonly string[]): Node {
  const { jid, number, isForHiddenIds } = question
  const person = network.somebody(jid)
  const isHere = person !== undefined && !person.number.endsWith(NOT_HERE)
  const address = parseAddress(jid)
  const parts = protocols.map((tag) => {
    if (tag === 'contact') return node('contact', { type: isHere ? 'in' : 'out' }, number)
    if (!isHere) return undefined
    // A person who was requested by hidden id has no other address.
    if (tag === 'lid') {
      const isHidden = address?.server === 'lid' || person.habits.shows === 'number_only'
      return isHidden ? undefined : node('lid', { val: lidJid(person.lid) })
    }
    if (tag === 'devices') return node('devices', {}, [node('device-list', { hash: '2:x' }, devicesOf(person))])
    return node(tag, {}, [node('error', { code: 401, text: 'not-authorized' })])
  })
  const name = person && address?.server === 'number' ? numberJid(person.number) : jid
  if (isForHiddenIds) {
    const isNumberOnly = person?.habits.shows === 'number_only'
    const hidden = isHere && !isNumberOnly ? lidJid(person.lid) : undefined
    return node(
      'user',
      { jid: hidden ?? (isHere ? name : undefined), pn_jid: isNumberOnly ? undefined : name },
      parts.filter((part) => part !== undefined),
    )
  }
  return node(
    'user',
    // A number without an account has no address.
    { jid: isHere || number === '' ? name : undefined },
    parts.filter((part) => part !== undefined),
  )
}

const devicesOf = ({ companions }: Person) => [
  node('device', { id: 0 }),
  ...companions.map(({ id, keyIndex }) => node('device', { id, 'key-index': keyIndex })),
]

/** Key bundles for first messages to devices. */
export function answerBundles(network: Network, iq: Node): Node {
  const users = childrenOf(childOf(iq, 'key'), 'user').map(({ attrs }) => {
    const jid = attrs['jid'] ?? ''
    const bundle = bundleFor(network, jid)
    if (!bundle) return node('user', { jid }, [node('error', { code: 404, text: 'item-not-found' })])
    return node('user', { jid }, [
      node('registration', {}, uint(bundle.registrationId, 4)),
      node('type', {}, Buffer.from([5])),
      ...bundleNodes(network.faults.forgesBundles ? forged(bundle) : bundle),
    ])
  })
  return resultOf(iq, [node('list', {}, users)])
}

function bundleFor(network: Network, jid: string): Bundle | undefined {
  const address = parseAddress(jid)
  const person = network.somebody(jid)
  if (!address || !person) return undefined
  return address.device === 0 ? person.correspondent.bundle() : network.companion(address)?.bundle()
}

const forged = (bundle: Bundle): Bundle => ({
  ...bundle,
  signedPreKey: { ...bundle.signedPreKey, signature: randomBytes(64) },
})
