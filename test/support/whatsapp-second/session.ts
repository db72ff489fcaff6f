import { randomBytes } from 'node:crypto'
import { lidJid, numberJid, parseAddress } from './address.ts'
import { failureOf, type Companion } from './companion.ts'
import { answerBundles, answerDirectory } from './directory.ts'
import type { Link, Visitor } from './link.ts'
import type { Network } from './network.ts'
import {
  childOf,
  childrenOf,
  errorOf,
  firstTag,
  node,
  nowSeconds,
  resultOf,
  SERVER,
  textIn,
  type Node,
} from './node.ts'
import { standing, type Person } from './person.ts'
import { relayMessage, relayReceipt } from './relay.ts'

const NOBODY: Visitor = { hear: () => {}, gone: () => {} }

/** Refuses a client with a reason. */
export function turnAway(link: Link, reason: number): Visitor {
  link.send(failureOf({ reason }))
  link.close()
  return NOBODY
}

/** Lets a client log in that says it is linked. */
export function openSession(network: Network, link: Link): Visitor {
  const { payload } = link
  const person = network.person(String(payload.username))
  const companion = person.companions.find(({ id }) => id === payload.device)
  if (!companion || companion.isRemoved || !companion.registration.clientKey.equals(link.clientKey))
    return turnAway(link, 401)
  if (companion.refusal) {
    link.send(failureOf(companion.refusal))
    link.close()
    return NOBODY
  }
  if (link.routing && !network.routes.has(link.routing.toString('hex')))
    network.complain('a client asks for a server that it was not sent to')
  companion.attach(link)
  welcome(network, link, person, companion)
  const session = { network, link, person, companion }
  return {
    hear(element) {
      companion.note(element)
      hear(session, element)
    },
    gone: () => companion.detach(link),
  }
}

export interface Session {
  readonly network: Network
  readonly link: Link
  readonly person: Person
  readonly companion: Companion
}

function welcome(network: Network, link: Link, person: Person, companion: Companion): void {
  const attributes = { t: nowSeconds(), lid: lidJid(person.lid, companion.id), props: 27, abprops: 5, location: 'fra' }
  link.send(node('success', { ...attributes, creation: nowSeconds() - 1_000 }))
  const routing = randomBytes(8)
  network.routes.add(routing.toString('hex'))
  link.send(node('ib', { from: SERVER }, [node('edge_routing', {}, [node('routing_info', {}, routing)])]))
}

function hear(session: Session, element: Node): void {
  const { network, companion, link } = session
  const { tag, attrs } = element
  if (tag === 'iq') return attrs['type'] === 'get' || attrs['type'] === 'set' ? query(session, element) : undefined
  if (tag === 'message') return relayMessage(session, element)
  if (tag === 'receipt') {
    if (network.faults.takeReceipt()) return link.drop()
    return relayReceipt(session, element)
  }
  if (tag === 'ack') {
    const isMeant = (one: Node) =>
      one.tag === attrs['class'] &&
      one.attrs['id'] === attrs['id'] &&
      (one.tag === 'message' || one.attrs['type'] === attrs['type']) &&
      one.attrs['participant'] === attrs['participant']
    companion.settle(isMeant)
    return
  }
  if (tag === 'ib') {
    if (childOf(element, 'offline_batch')) companion.deliverBacklog()
    return
  }
  if (tag !== 'presence' && tag !== 'chatstate' && tag !== 'call') network.complain(`an element of name ${tag}`)
}

function query(session: Session, iq: Node): void {
  const { network, link, person, companion } = session
  const answer = (content?: Node[]) => link.send(resultOf(iq, content))
  const kind = `${iq.attrs['xmlns'] ?? ''} ${firstTag(iq)}`
  switch (kind) {
    case 'encrypt count':
      return answer([node('count', { value: companion.preKeysLeft })])
    case 'encrypt digest':
      return answer([node('digest', {}, [node('registration'), node('type'), node('identity'), node('skey')])])
    case 'encrypt key':
      return link.send(answerBundles(network, iq))
    case 'encrypt rotate':
      return rotate(session, iq)
    case 'passive active':
      answer()
      person.welcome(companion)
      return companion.activate()
    case 'passive passive':
    case 'urn:xmpp:whatsapp:dirty clean':
      return answer()
    case 'usync usync':
      return answerDirectory(session, iq)
    case 'w:m media_conn':
      return answer([network.files.connection()])
    case 'w:mex query':
      return answerMex(session, iq)
    case 'w:sync:app:state sync':
      return answer([node('sync', {}, collectionsOf(iq))])
    case 'privacy privacy':
      return answer([node('privacy', {}, PRIVACY)])
    case 'privacy tokens':
      return answer([node('tokens')])
    case 'abt props':
      return answer([node('props', { protocol: 1, hash: '5QaD', refresh: 86_400 }, [])])
    case 'md remove-companion-device':
      return logout(session, iq)
  }
  if (kind.startsWith('encrypt ')) {
    companion.storeKeys(iq)
    return answer()
  }
  if (iq.attrs['xmlns'] === 'w:g2') return link.send(network.groups.answer(iq, person))
  if (iq.attrs['xmlns'] === 'w:p') return answer()
  if (iq.attrs['xmlns'] === 'blocklist') return answer([node('list')])
  if (iq.attrs['xmlns'] === 'status') return answer()
  if (kind === 'w:profile:picture picture' && iq.attrs['type'] === 'set')
    return answer([node('picture', { id: nowSeconds() })])
  if (iq.attrs['xmlns'] === 'w:profile:picture') return link.send(errorOf(iq, 404, 'item-not-found'))
  network.complain(`a query for ${kind}`)
  link.send(errorOf(iq, 501, 'feature-not-implemented'))
}

const PRIVACY = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd', 'calladd'].map((name) =>
  node('category', { name, value: 'all' }),
)

const collectionsOf = (iq: Node) =>
  childrenOf(childOf(iq, 'sync'), 'collection').map(({ attrs }) =>
    node('collection', { name: attrs['name'], version: attrs['version'] ?? 0, has_more_patches: 'false' }),
  )

function rotate({ companion, link }: Session, iq: Node): void {
  const skey = childOf(childOf(iq, 'rotate'), 'skey')
  if (skey) companion.rotateSignedKey(skey)
  link.send(resultOf(iq))
}

const STANDING_QUERY = '23983697327930364'
const CAP_QUERY = '24503548349331633'

function answerMex({ link, person, network }: Session, iq: Node): void {
  const id = childOf(iq, 'query')?.attrs['query_id'] ?? ''
  const variables = JSON.parse(textIn(iq, 'query')) as { variables?: unknown }
  if (typeof variables.variables !== 'object') network.complain('a query without variables')
  const data =
    id === STANDING_QUERY
      ? { xwa2_fetch_account_reachout_timelock: standing(person.restrictedUntil) }
      : id === CAP_QUERY
        ? { xwa2_message_capping_info: { total_quota: 0, used_quota: 0, capping_status: 'NONE' } }
        : null
  const body = data ? { data } : { data: null, errors: [{ message: 'unknown query', extensions: { error_code: 400 } }] }
  link.send(resultOf(iq, [node('result', {}, JSON.stringify(body))]))
}

function logout({ person, companion, link, network }: Session, iq: Node): void {
  const named = childOf(iq, 'remove-companion-device')?.attrs['jid']
  const address = parseAddress(named)
  if (address?.device !== companion.id || network.somebody(named) !== person)
    return network.complain(
      `a client logs out ${named ?? 'nobody'} instead of ${numberJid(person.number, companion.id)}`,
    )
  link.send(resultOf(iq))
  const at = person.companions.indexOf(companion)
  if (at >= 0) person.companions.splice(at, 1)
  companion.remove()
}
