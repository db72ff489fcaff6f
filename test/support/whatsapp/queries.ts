import { answerSync } from './app-state-query.ts'
import { cutsOnLookup, isAbsent } from './faults.ts'
import { answerGroupQuery } from './groups.ts'
import type { DeviceInside } from './linked-device.ts'
import { MEDIA_HOST } from './media.ts'
import { timeLock } from './notices.ts'
import type { Network } from './network.ts'
import type { PhoneInside } from './people.ts'
import {
  bigEndian,
  bytesIn,
  child,
  children,
  firstTag,
  lidJid,
  numberJid,
  preKeyStanza,
  readAddress,
  stanza,
  type Stanza,
} from './stanza.ts'

/** Who asks. */
interface Asker {
  readonly device: DeviceInside
  readonly network: Network
}

type Answer = (iq: Stanza, asker: Asker) => Stanza[] | undefined

/**
 * Answers a query by its namespace. A client waits one minute for a missing answer, so unknown queries get an empty
 * one.
 */
export function answerQuery(iq: Stanza, asker: Asker): void {
  const { id, xmlns = '' } = iq.attrs
  const answer = (ANSWERS[xmlns] ?? nothing)(iq, asker)
  const content = answer ?? refused(404)
  const type = content[0]?.tag === 'error' ? 'error' : 'result'
  const isActive = xmlns === 'passive' && firstTag(iq) === 'active'
  asker.device.tell(stanza('iq', { from: iq.attrs['to'] ?? 's.whatsapp.net', type, id }, content))
  if (isActive) asker.device.becomeActive()
}

const nothing: Answer = () => []
const refused = (code: 400 | 404): Stanza[] => [
  stanza('error', { code, text: code === 400 ? 'bad-request' : 'item-not-found' }),
]

const ANSWERS: Readonly<Record<string, Answer>> = {
  encrypt: answerKeys,
  usync: answerDirectory,
  abt: () => [stanza('props', { hash: 'none' })],
  blocklist: answerBlocklist,
  status: (iq, { device, network }) => {
    if (network.faults.demandsCurrentForms) return refused(400)
    network.phone(device.number).about = bytesIn(child(iq, 'status')).toString()
    return []
  },
  privacy: answerPrivacy,
  'w:g2': answerGroups,
  'w:m': () => [
    stanza('media_conn', { auth: 'stand-in', ttl: 300, auth_ttl: 21_600, max_buckets: 12 }, [
      stanza('host', { hostname: MEDIA_HOST, maxContentLengthBytes: 100_000_000 }),
    ]),
  ],
  'w:mex': answerGraph,
  'w:sync:app:state': (iq, { device, network }) => {
    const { appState } = network.phone(device.number)
    return answerSync(iq, { device, appState, cdn: network.cdn })
  },
  'w:profile:picture': answerPicture,
  'w:biz': (iq, { network }) => {
    const jid = child(child(iq, 'business_profile'), 'profile')?.attrs['jid'] ?? ''
    const profile = network.who(jid).habits.isBusiness ? [stanza('profile', { jid }, [stanza('address')])] : []
    return [stanza('business_profile', { v: 244 }, profile)]
  },
  md: forgetDevice,
}

function answerKeys(iq: Stanza, { device, network }: Asker): Stanza[] {
  switch (firstTag(iq)) {
    case 'count':
      return [stanza('count', { value: device.preKeysLeft })]
    case 'digest':
      return [stanza('digest')]
    case 'key':
      return [
        stanza(
          'list',
          {},
          children(child(iq, 'key'), 'user').map(({ attrs }) => keysOf(attrs['jid'] ?? '', network)),
        ),
      ]
    default:
      device.storeKeys(iq)
      return []
  }
}

function keysOf(jid: string, network: Network): Stanza {
  const person = network.who(jid)
  const { device: id } = readAddress(jid)
  const end = id === 0 ? person.signal : person.devices.find((one) => one.id === id)
  if (end === undefined || isAbsent(person.number))
    return stanza('user', { jid }, [stanza('error', { code: 404, text: 'item-not-found' })])
  const { registrationId, identity, signedPreKey, preKey } = network.faults.bundle(end.bundle())
  return stanza('user', { jid }, [
    stanza('registration', {}, bigEndian(registrationId, 4)),
    stanza('type', {}, Buffer.from([5])),
    stanza('identity', {}, identity),
    preKeyStanza('skey', signedPreKey),
    ...(preKey ? [preKeyStanza('key', preKey)] : []),
  ])
}

function answerDirectory(iq: Stanza, { device, network }: Asker): Stanza[] {
  const usync = child(iq, 'usync')
  const query = child(usync, 'query')
  const wanted = new Set(((query?.content ?? []) as Stanza[]).map(({ tag }) => tag))
  const byHiddenId = child(query, 'contact')?.attrs['addressing_mode'] === 'lid'
  if (wanted.has('contact') && network.faults.demandsCurrentForms && !(byHiddenId && asksAsToday(query)))
    return refused(400)
  const users = children(child(usync, 'list'), 'user').map((user) => ({ user, ...find(user, network) }))
  if (wanted.has('devices') && users.some(({ person }) => cutsOnLookup(person.number))) device.end('dropped')
  const list = users.map(({ jid, person, user }) =>
    stanza('user', byHiddenId ? namesOf(person) : { jid }, describe(person, jid, wanted, user)),
  )
  return [stanza('usync', {}, [stanza('result'), stanza('list', {}, list)])]
}

/**
 * Whether the query contains everything that the network's current client requests when it looks for people by
 * number.
 */
function asksAsToday(query: Stanza | undefined): boolean {
  const asksForName = child(child(query, 'business'), 'verified_name') !== undefined
  return asksForName && ['disappearing_mode', 'username'].every((tag) => child(query, tag) !== undefined)
}

/** The names of a person: the hidden id with the phone number. A number without an account has no hidden id. */
function namesOf({ number, lid, habits }: PhoneInside): Record<string, string> {
  if (isAbsent(number)) return { pn_jid: numberJid(number) }
  if (habits.shows === 'number_only') return { jid: numberJid(number) }
  return { jid: lidJid(lid), ...(habits.shows !== 'lid_only' && { pn_jid: numberJid(number) }) }
}

/** Finds a person by address, or by a number in any format. */
function find(user: Stanza, network: Network): { readonly jid: string; readonly person: PhoneInside } {
  const { jid } = user.attrs
  if (jid !== undefined) return { jid, person: network.who(jid) }
  const digits = bytesIn(child(user, 'contact')).toString().replace(/\D/g, '')
  const person = network.phone(digits)
  return { jid: numberJid(person.number), person }
}

function describe(person: PhoneInside, jid: string, wanted: ReadonlySet<string>, asked: Stanza): Stanza[] {
  const isThere = !isAbsent(person.number)
  const answers: Stanza[] = []
  if (wanted.has('devices') && isThere) {
    const others = person.devices.map(({ id, keyIndex }) => stanza('device', { id, 'key-index': keyIndex }))
    answers.push(stanza('devices', {}, [stanza('device-list', {}, [stanza('device', { id: 0 }), ...others])]))
  }
  if (wanted.has('contact'))
    answers.push(stanza('contact', { type: isThere ? 'in' : 'out' }, bytesIn(child(asked, 'contact'))))
  if (wanted.has('status') && isThere) answers.push(aboutOf(person, asked))
  if (wanted.has('lid') && isThere && readAddress(jid).kind === 'number' && person.habits.shows !== 'number_only')
    answers.push(stanza('lid', { val: lidJid(person.lid) }))
  return answers
}

function aboutOf({ number, about, habits }: PhoneInside, asked: Stanza): Stanza {
  const isShown = habits.aboutFor !== 'trusted' || bytesIn(child(asked, 'tctoken')).toString() === `token of ${number}`
  return isShown ? stanza('status', {}, Buffer.from(about ?? habits.about ?? '')) : stanza('status', { code: 401 })
}

function answerPicture({ attrs }: Stanza, { network }: Asker): Stanza[] | undefined {
  if (attrs['type'] === 'set') return [stanza('picture', { id: 1 })]
  const { picture } = network.who(attrs['target'] ?? '').habits
  if (picture === 'hidden') return [stanza('error', { code: 401, text: 'not-authorized' })]
  return picture && [stanza('picture', { id: 1, type: 'image', url: picture.url })]
}

const privacyOf = new WeakMap<PhoneInside, Map<string, string>>()

function answerPrivacy(iq: Stanza, { device, network }: Asker): Stanza[] {
  if (firstTag(iq) === 'tokens') return [stanza('tokens')]
  const phone = network.phone(device.number)
  const settings = privacyOf.get(phone) ?? new Map(PRIVACY.map((name) => [name, 'all']))
  privacyOf.set(phone, settings)
  for (const { attrs } of children(child(iq, 'privacy'), 'category'))
    settings.set(attrs['name'] ?? '', attrs['value'] ?? '')
  return [
    stanza(
      'privacy',
      {},
      [...settings].map(([name, value]) => stanza('category', { name, value })),
    ),
  ]
}

const PRIVACY = ['readreceipts', 'last', 'online', 'profile', 'status', 'groupadd', 'calladd']

function answerGroups(iq: Stanza, { device, network }: Asker): Stanza[] | undefined {
  const asker = network.phone(device.number)
  return answerGroupQuery(iq, {
    asker,
    groups: network.groups,
    demandsCurrentForms: network.faults.demandsCurrentForms,
    phone: network.phone,
    who: network.who,
    announce: (group, what) => network.announce(group, asker, what),
  })
}

const REACHOUT_TIME_LOCK = '23983697327930364'
const NEW_CHAT_CAP = '24503548349331633'
const TEXT_STATUS = '9152604461510864'

/** Answers queries in GraphQL style. */
function answerGraph(iq: Stanza, { device, network }: Asker): Stanza[] | undefined {
  const { restrictedUntil, newChatCap } = network.phone(device.number)
  const answers: Readonly<Record<string, object>> = {
    [REACHOUT_TIME_LOCK]: { xwa2_fetch_account_reachout_timelock: timeLock(restrictedUntil) },
    [NEW_CHAT_CAP]: { xwa2_message_capping_info: newChatCap },
  }
  const id = child(iq, 'query')?.attrs['query_id'] ?? ''
  if (id === TEXT_STATUS) return setAbout(iq, network.phone(device.number))
  const query = child(iq, 'query')
  const ofChannels = query && network.channels.answer(device.number, query)
  if (ofChannels !== undefined) return [stanza('result', {}, Buffer.from(JSON.stringify(ofChannels)))]
  const data = answers[id]
  return data && [stanza('result', {}, Buffer.from(JSON.stringify({ data })))]
}

function setAbout(iq: Stanza, person: PhoneInside): Stanza[] {
  const { variables } = JSON.parse(bytesIn(child(iq, 'query')).toString()) as {
    variables?: { input?: { text?: unknown; ephemeral_duration_sec?: unknown } }
  }
  const { text, ephemeral_duration_sec: seconds } = variables?.input ?? {}
  if ((typeof text !== 'string' && text !== null) || typeof seconds !== 'number') return refused(400)
  person.about = text
  return [
    stanza('result', {}, Buffer.from(JSON.stringify({ data: { xwa2_update_text_status: { result: 'SUCCESS' } } }))),
  ]
}

/** People are identified by hidden id. Blocking also requires their number; a query with only the number is refused. */
function answerBlocklist(iq: Stanza, { device, network }: Asker): Stanza[] {
  const { blocked } = network.phone(device.number)
  const asked = child(iq, 'item')
  if (asked !== undefined) {
    const { jid = '', action, pn_jid: beside } = asked.attrs
    const isNamed = readAddress(jid).kind === 'lid' && (action === 'block' || beside === undefined)
    if (!isNamed || (action !== 'block' && action !== 'unblock')) return refused(400)
    const { number } = network.who(jid)
    if (beside !== undefined && beside !== numberJid(number)) return refused(400)
    const at = blocked.indexOf(number)
    if (action === 'block' && at === -1) blocked.push(number)
    if (action === 'unblock' && at !== -1) blocked.splice(at, 1)
  }
  const items = blocked.map((number) => stanza('item', { jid: lidJid(network.phone(number).lid) }))
  return [stanza('list', {}, items)]
}

function forgetDevice(iq: Stanza, { network }: Asker): Stanza[] {
  const removed = child(iq, 'remove-companion-device')
  if (removed === undefined) return []
  const person = network.who(removed.attrs['jid'] ?? '')
  const gone = person.devices.find(({ id }) => id === readAddress(removed.attrs['jid'] ?? '').device)
  if (gone !== undefined) person.unlink(gone)
  gone?.forget()
  return []
}
