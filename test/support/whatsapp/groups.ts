import { randomInt } from 'node:crypto'
import { jidDecode } from 'baileys'
import { answerCommunityQuery, becomeCommunity } from './communities.ts'
import type { PhoneInside } from './people.ts'
import {
  bytesIn,
  child,
  children,
  groupJid,
  lidJid,
  numberJid,
  readAddress,
  seconds,
  stanza,
  type Stanza,
} from './stanza.ts'

/** How a group identifies its members: by phone number, or by hidden id. */
export type Addressing = 'pn' | 'lid'

export interface Group {
  /** The digits without `@g.us`. */
  readonly id: string
  readonly subject: string
  readonly addressing: Addressing
  /** Phone numbers; the founder is first. */
  readonly members: readonly string[]
  readonly admins: readonly string[]
  /** Whether only admins may write. */
  readonly isForAdmins: boolean
  /** Whether only admins may change the name and description. */
  readonly isLocked: boolean
  readonly description: string | null
  /** After how long new messages disappear; 0 if they do not. */
  readonly timer: number
  /** Whether an admin must approve new members. */
  readonly needsApproval: boolean
  /** Whether only admins may add members. */
  readonly isAddedToByAdmins: boolean
  /** The phone numbers of people who asked to join, oldest request first. */
  readonly requests: readonly string[]
  /**
   * A person asks to join with the invite link, and the devices of the admins are notified.
   * @param shows whether the network includes their phone number with their hidden id.
   */
  request(number: string, shows?: 'number'): void
  /** A person withdraws the request to join. */
  withdraw(number: string): void
  reserveForAdmins(): void
  /** Makes the group a community, or a group in a community: its announcement group or another one. */
  placeIn(community: 'itself' | 'nowhere' | { readonly id: string; readonly isAnnouncements?: boolean }): void
  readonly isCommunity: boolean
  /** The community of the group: digits without `@g.us`. */
  readonly communityId: string | null
  readonly isAnnouncements: boolean
}

type GroupRule = 'announcement' | 'not_announcement' | 'locked' | 'unlocked'

interface SealedUtterance {
  readonly key: Buffer
  readonly bytes: Buffer
}

export interface GroupInside extends Group {
  /** The elements with which a query describes the community of a group. */
  readonly communityMarks: readonly Stanza[]
  rename(subject: string): void
  describe(words: string | null): void
  setRule(rule: GroupRule): void
  setTimer(seconds: number): void
  requireApproval(isNeeded: boolean): void
  reserveAdding(isForAdmins: boolean): void
  /** Whether the network includes the phone number of a person who asked to join. */
  showsNumber(number: string): boolean
  /** @returns whether the person had asked to join. */
  answerRequest(number: string, isApproved: boolean): boolean
  add(number: string): void
  remove(number: string): void
  setAdmin(number: string, isAdmin: boolean): void
  readonly inviteCode: string
  readonly createdAt: number
  /** @returns whether this device has not received this sender's key before. Afterwards it counts as received. */
  giveKey(sender: string, device: string): boolean
  /** Encrypts a message once for all devices. */
  sealOnce(messageId: string, seal: () => Promise<SealedUtterance>): Promise<SealedUtterance>
}

/** A change of a join request that no admin made. */
interface JoinRequestChange {
  readonly kind: 'created' | 'withdrawn'
  readonly number: string
  readonly showsNumber: boolean
}

let lastGroup = 120_363_000_000_000_000n

export function createGroup(
  subject: string,
  founder: string,
  others: readonly string[],
  addressing: Addressing,
  tellOfRequest: (group: GroupInside, request: JoinRequestChange) => void,
): GroupInside {
  const id = String((lastGroup += BigInt(randomInt(1, 1_000))))
  const members = new Set([founder, ...others])
  const admins = new Set([founder])
  const keyHolders = new Set<string>()
  const sealed = new Map<string, Promise<SealedUtterance>>()
  let title = subject
  let isForAdmins = false
  let isLocked = false
  let timer = 0
  let needsApproval = false
  let isAddedToByAdmins = false
  const requests = new Map<string, boolean>()
  let description: string | null = null
  let place: Parameters<GroupInside['placeIn']>[0] = 'nowhere'
  const group: GroupInside = {
    id,
    addressing,
    inviteCode: `Invite${id.slice(-10)}`,
    createdAt: seconds(),
    get subject() {
      return title
    },
    get members() {
      return [...members]
    },
    get admins() {
      return [...admins]
    },
    get isForAdmins() {
      return isForAdmins
    },
    get isLocked() {
      return isLocked
    },
    get description() {
      return description
    },
    get timer() {
      return timer
    },
    setTimer: (seconds) => void (timer = seconds),
    get needsApproval() {
      return needsApproval
    },
    get isAddedToByAdmins() {
      return isAddedToByAdmins
    },
    get requests() {
      return [...requests.keys()]
    },
    request(number, shows) {
      requests.set(number, shows === 'number')
      tellOfRequest(group, { kind: 'created', number, showsNumber: shows === 'number' })
    },
    withdraw(number) {
      if (requests.delete(number)) tellOfRequest(group, { kind: 'withdrawn', number, showsNumber: false })
    },
    showsNumber: (number) => addressing === 'lid' && requests.get(number) === true,
    requireApproval: (isNeeded) => void (needsApproval = isNeeded),
    reserveAdding: (isForAdmins) => void (isAddedToByAdmins = isForAdmins),
    answerRequest(number, isApproved) {
      if (!requests.delete(number)) return false
      if (isApproved) members.add(number)
      return true
    },
    describe: (words) => void (description = words),
    setRule(rule) {
      if (rule === 'locked' || rule === 'unlocked') isLocked = rule === 'locked'
      else isForAdmins = rule === 'announcement'
    },
    reserveForAdmins: () => void (isForAdmins = true),
    placeIn: (community) => void (place = community),
    get isCommunity() {
      return place === 'itself'
    },
    get communityId() {
      return typeof place === 'string' ? null : place.id
    },
    get isAnnouncements() {
      return typeof place !== 'string' && place.isAnnouncements === true
    },
    get communityMarks() {
      if (place === 'nowhere') return []
      if (place === 'itself') return [stanza('parent', { default_membership_approval_mode: 'request_required' })]
      return [
        stanza('linked_parent', { jid: groupJid(place.id) }),
        ...(place.isAnnouncements ? [stanza('default_sub_group', {})] : []),
      ]
    },
    rename: (next) => void (title = next),
    add: (number) => void members.add(number),
    remove(number) {
      members.delete(number)
      admins.delete(number)
    },
    setAdmin(number, isAdmin) {
      if (isAdmin) admins.add(number)
      else admins.delete(number)
    },
    giveKey(sender, device) {
      const holder = `${sender} to ${device}`
      if (keyHolders.has(holder)) return false
      keyHolders.add(holder)
      return true
    },
    sealOnce(messageId, seal) {
      const found = sealed.get(messageId) ?? seal()
      sealed.set(messageId, found)
      return found
    },
  }
  return group
}

type FindPhone = (number: string) => PhoneInside

/** A group as described in the answer to a query. */
function describe(group: GroupInside, phone: FindPhone): Stanza {
  const founder = phone(group.admins[0] ?? group.members[0] ?? '')
  const attributes = {
    id: group.id,
    subject: group.subject,
    creation: group.createdAt,
    s_t: group.createdAt,
    addressing_mode: group.addressing,
    creator: memberJid(group, founder),
    size: group.members.length,
  }
  return stanza('group', attributes, [
    ...group.members.map((number) => describeMember(group, phone(number))),
    ...(group.isForAdmins ? [stanza('announcement', {})] : []),
    ...(group.isLocked ? [stanza('locked', {})] : []),
    ...(group.needsApproval ? [approvalMode('on')] : []),
    stanza('member_add_mode', {}, Buffer.from(group.isAddedToByAdmins ? 'admin_add' : 'all_member_add')),
    ...(group.timer > 0 ? [stanza('ephemeral', { expiration: group.timer })] : []),
    ...group.communityMarks,
    ...(group.description === null
      ? []
      : [stanza('description', { id: 'D1' }, [stanza('body', {}, Buffer.from(group.description))])]),
  ])
}

const approvalMode = (state: 'on' | 'off'): Stanza =>
  stanza('membership_approval_mode', {}, [stanza('group_join', { state })])

export const memberJid = (group: Group, { number, lid }: PhoneInside): string =>
  group.addressing === 'lid' ? lidJid(lid) : numberJid(number)

function describeMember(group: GroupInside, member: PhoneInside): Stanza {
  const { number, lid } = member
  const other = group.addressing === 'lid' ? { phone_number: numberJid(number) } : { lid: lidJid(lid) }
  const type = group.admins.includes(number) ? 'admin' : undefined
  return stanza('participant', { jid: memberJid(group, member), ...other, type })
}

interface Groups {
  get(id: string): GroupInside | undefined
  create(subject: string, founder: string, others: readonly string[]): GroupInside
  of(number: string): readonly GroupInside[]
  linkedTo(communityId: string): readonly GroupInside[]
  invitedBy(code: string): GroupInside | undefined
}

/** The asker, and what is needed for the answer. */
interface Asking {
  readonly asker: PhoneInside
  readonly groups: Groups
  readonly phone: FindPhone
  /** Finds a person by the address that a client uses. */
  readonly who: (jid: string) => PhoneInside
  readonly demandsCurrentForms: boolean
  /** Notifies everybody in the group about a change. */
  readonly announce: (group: GroupInside, change: Stanza) => void
}

/** @returns the content of the answer; undefined if the query is refused. */
export function answerGroupQuery(iq: Stanza, asking: Asking): Stanza[] | undefined {
  const to = iq.attrs['to'] ?? ''
  const asked = Array.isArray(iq.content) ? iq.content[0] : undefined
  if (asked === undefined) return undefined
  if (to === '@g.us') return answerGeneral(asked, asking)
  const group = asking.groups.get(jidDecode(to)?.user ?? '')
  if (!group?.members.includes(asking.asker.number)) return undefined
  const answer = answerCommunityQuery(group, asked, asking)
  if (answer !== undefined) return answer
  return iq.attrs['type'] === 'get' ? answerAbout(group, asked, asking) : change(group, asked, asking)
}

function answerGeneral(
  asked: Stanza,
  { asker, groups, phone, who, announce, demandsCurrentForms }: Asking,
): Stanza[] | undefined {
  switch (asked.tag) {
    case 'participating':
      return [
        stanza(
          'groups',
          {},
          groups.of(asker.number).map((group) => describe(group, phone)),
        ),
      ]
    case 'create': {
      if (demandsCurrentForms && !isCurrentCreate(asked, who)) return undefined
      const others = children(asked, 'participant').map(({ attrs }) => who(attrs['jid'] ?? '').number)
      const group = groups.create(asked.attrs['subject'] ?? '', asker.number, others)
      const description = child(child(asked, 'description'), 'body')
      if (description !== undefined) group.describe(bytesIn(description).toString())
      if (child(asked, 'parent') !== undefined) becomeCommunity(group, { asker, groups, phone })
      announce(group, stanza('create', { type: 'new' }, [describe(group, phone)]))
      return [describe(group, phone)]
    }
    case 'invite': {
      const group = groups.invitedBy(asked.attrs['code'] ?? '')
      if (group?.needsApproval) {
        group.request(asker.number)
        return [stanza('membership_approval_request', { jid: groupJid(group.id) })]
      }
      group?.add(asker.number)
      return group && [stanza('group', { jid: groupJid(group.id) })]
    }
    case 'leave': {
      const left = children(asked, 'group').map(({ attrs }) => attrs['id'] ?? '')
      for (const id of left) groups.get(jidDecode(id)?.user ?? id)?.remove(asker.number)
      return [
        stanza(
          'leave',
          {},
          left.map((id) => stanza('group', { id })),
        ),
      ]
    }
    default:
      return undefined
  }
}

/** Whether members are identified by hidden id with their phone number, and all rules of the group are included. */
function isCurrentCreate(create: Stanza, who: Asking['who']): boolean {
  const [addMode, approval, timer] = ['member_add_mode', 'membership_approval_mode', 'ephemeral'].map((tag) =>
    child(create, tag),
  )
  const [{ attrs: join } = { attrs: {} as Stanza['attrs'] }] = children(approval, 'group_join')
  return (
    create.attrs['key'] === undefined &&
    create.attrs['create_key'] === undefined &&
    ['all_member_add', 'admin_add'].includes(bytesIn(addMode).toString()) &&
    ['on', 'off'].includes(join['state'] ?? '') &&
    timer?.attrs['expiration'] !== undefined &&
    areNamed(create, who)
  )
}

const areNamed = (change: Stanza, who: Asking['who']): boolean =>
  children(change, 'participant').every(({ attrs: { jid = '', phone_number: beside } }) => {
    const { number, habits } = who(jid)
    return habits.shows === 'number_only' || (readAddress(jid).kind === 'lid' && beside === numberJid(number))
  })

function answerAbout(group: GroupInside, asked: Stanza, { asker, phone }: Asking): Stanza[] | undefined {
  if (asked.tag === 'query') return [describe(group, phone)]
  if (asked.tag === 'membership_approval_requests') {
    if (!group.admins.includes(asker.number)) return FORBIDDEN
    const waiting = group.requests.map((number) =>
      stanza('membership_approval_request', {
        ...(group.showsNumber(number) && { phone_number: numberJid(number) }),
        ...{ jid: memberJid(group, phone(number)), request_time: seconds(), request_method: 'InviteLink' },
      }),
    )
    return [stanza('membership_approval_requests', {}, waiting)]
  }
  return asked.tag === 'invite' ? [stanza('invite', { code: group.inviteCode })] : undefined
}

function change(
  group: GroupInside,
  asked: Stanza,
  { asker, who, announce, phone, demandsCurrentForms }: Asking,
): Stanza[] | undefined {
  if (FOR_ADMINS.has(asked.tag) && !group.admins.includes(asker.number)) return FORBIDDEN
  if (asked.tag === 'add' && demandsCurrentForms && !areNamed(asked, who)) return undefined
  const named = children(asked, 'participant').map(({ attrs }) => who(attrs['jid'] ?? ''))
  const participants = named.map((member) => describeMember(group, member))
  const acts: Readonly<Record<string, (member: PhoneInside) => void>> = {
    add: ({ number }) => group.add(number),
    remove: ({ number }) => group.remove(number),
    promote: ({ number }) => group.setAdmin(number, true),
    demote: ({ number }) => group.setAdmin(number, false),
  }
  const act = acts[asked.tag]
  if (act !== undefined) {
    announce(group, stanza(asked.tag, {}, participants))
    named.forEach(act)
    return [stanza(asked.tag, {}, participants)]
  }
  if (isRule(asked.tag)) {
    group.setRule(asked.tag)
    announce(group, stanza(asked.tag, {}))
    return [stanza(asked.tag, {})]
  }
  if (asked.tag === 'membership_requests_action') return answerRequests(group, asked, { who, announce })
  if (asked.tag === 'membership_approval_mode') {
    const [{ attrs: join } = { attrs: {} as Stanza['attrs'] }] = children(asked, 'group_join')
    if (join['state'] !== 'on' && join['state'] !== 'off') return undefined
    group.requireApproval(join['state'] === 'on')
    announce(group, approvalMode(join['state']))
    return [approvalMode(join['state'])]
  }
  if (asked.tag === 'member_add_mode') {
    const mode = bytesIn(asked).toString()
    if (mode !== 'admin_add' && mode !== 'all_member_add') return undefined
    group.reserveAdding(mode === 'admin_add')
    announce(group, stanza('member_add_mode', {}, Buffer.from(mode)))
    return [stanza('member_add_mode', {})]
  }
  if (asked.tag === 'ephemeral' || asked.tag === 'not_ephemeral') {
    const after = asked.tag === 'ephemeral' ? Number(asked.attrs['expiration']) : 0
    if (asked.tag === 'ephemeral' && !TIMERS.has(after)) return undefined
    group.setTimer(after)
    announce(group, timerNotice(after))
    return [stanza(asked.tag, { ...asked.attrs })]
  }
  if (asked.tag === 'description') {
    // A change must name the version that it replaces, otherwise it is refused, as by the real server.
    if ((asked.attrs['prev'] ?? null) !== (group.description === null ? null : 'D1')) return undefined
    const body = children(asked, 'body')[0]?.content
    group.describe(
      asked.attrs['delete'] === 'true' ? null : Buffer.from((body as Uint8Array | undefined) ?? []).toString(),
    )
    return [stanza('description', {})]
  }
  if (asked.tag !== 'subject') return [describe(group, phone)]
  group.rename(Buffer.from((asked.content as Uint8Array | undefined) ?? []).toString())
  announce(group, stanza('subject', { subject: group.subject }))
  return [stanza('subject', { subject: group.subject })]
}

const FOR_ADMINS: ReadonlySet<string> = new Set([
  'membership_requests_action',
  'membership_approval_mode',
  'member_add_mode',
])
const FORBIDDEN = [stanza('error', { code: 403, text: 'forbidden' })]

/** The answer says for each person whether they had asked to join. */
function answerRequests(
  group: GroupInside,
  action: Stanza,
  { who, announce }: Pick<Asking, 'who' | 'announce'>,
): Stanza[] | undefined {
  const [asked] = Array.isArray(action.content) ? action.content : []
  if (asked === undefined || (asked.tag !== 'approve' && asked.tag !== 'reject')) return undefined
  const isApproved = asked.tag === 'approve'
  const answers = children(asked, 'participant').map(({ attrs: { jid = '' } }) => {
    const person = who(jid)
    const hasAsked = memberJid(group, person) === jid && group.answerRequest(person.number, isApproved)
    if (hasAsked && isApproved) announce(group, stanza('add', {}, [describeMember(group, person)]))
    if (hasAsked && !isApproved)
      announce(group, stanza('revoked_membership_requests', {}, [stanza('participant', { jid })]))
    return stanza('participant', { jid, ...(!hasAsked && { error: 404 }) })
  })
  return [stanza('membership_requests_action', {}, [stanza(asked.tag, {}, answers)])]
}

/** The server accepts only a day, a week and ninety days for groups. */
const TIMERS: ReadonlySet<number> = new Set([86_400, 604_800, 7_776_000])

/** The notification to the members. */
export const timerNotice = (after: number): Stanza =>
  after === 0 ? stanza('not_ephemeral', {}) : stanza('ephemeral', { expiration: after, trigger: 1 })

const RULES: ReadonlySet<string> = new Set(['announcement', 'not_announcement', 'locked', 'unlocked'])
const isRule = (tag: string): tag is GroupRule => RULES.has(tag)

/**
 * The notification to the admins' devices about a person who wants to join. The network also includes the person
 * inside the element.
 */
export function joinRequestNotice(
  group: GroupInside,
  person: PhoneInside,
  { kind, showsNumber }: JoinRequestChange,
  id: string,
): Stanza {
  const jid = memberJid(group, person)
  const beside = showsNumber && group.addressing === 'lid' ? { phone_number: numberJid(person.number) } : {}
  const what =
    kind === 'created'
      ? stanza('created_membership_requests', { request_method: 'invite_link' }, [
          stanza('requested_user', { jid, ...beside }),
        ])
      : stanza('revoked_membership_requests', {}, [stanza('participant', { jid })])
  const attributes = { from: groupJid(group.id), type: 'w:gp2', id, t: seconds(), addressing_mode: group.addressing }
  return stanza('notification', { ...attributes, participant: jid }, [what])
}

/** The notification to a member's devices about a change of the group. */
export function groupNotice(group: GroupInside, by: PhoneInside, what: Stanza, id: string): Stanza {
  return stanza(
    'notification',
    {
      from: groupJid(group.id),
      type: 'w:gp2',
      id,
      t: seconds(),
      addressing_mode: group.addressing,
      participant: memberJid(group, by),
      ...(group.addressing === 'lid' ? { participant_pn: numberJid(by.number) } : { participant_lid: lidJid(by.lid) }),
    },
    [what],
  )
}
