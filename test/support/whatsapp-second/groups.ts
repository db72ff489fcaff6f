import { randomBytes } from 'node:crypto'
import type { WhatsApp } from '../whatsapp/index.ts'
import { groupJid, lidJid, numberJid } from './address.ts'
import { childrenOf, errorOf, node, nowSeconds, resultOf, textIn, type Node } from './node.ts'

/** The version of every description, because the tests never replace a description twice. */
const VERSION = 'D1'

type GroupFace = ReturnType<WhatsApp['group']>

export interface Group extends GroupFace {
  subject: string
  readonly members: string[]
  readonly admins: string[]
  isForAdmins: boolean
  isLocked: boolean
  description: string | null
  community: readonly Node[]
  isCommunity: boolean
  communityId: string | null
  isAnnouncements: boolean
  inviteCode: string
  readonly createdAt: number
}

/** The parts of a person that groups need. */
interface Somebody {
  readonly number: string
  readonly lid: string
}

export interface Groups {
  get(id: string): Group | undefined
  create(subject: string, members: readonly string[], addressing?: GroupFace['addressing']): Group
  /** @returns the answer to a query about groups. */
  answer(iq: Node, asker: Somebody): Node
}

export interface AroundGroups {
  /** Finds a person by any of their addresses. */
  somebody(jid: string): Somebody | undefined
  person(number: string): Somebody
  /** Notifies all linked devices of these people. */
  announce(numbers: readonly string[], notice: Node): void
}

/** The address of a member within the group. */
export const memberJid = (
  { addressing }: Pick<GroupFace, 'addressing'>,
  { number, lid }: Somebody,
  device = 0,
): string => (addressing === 'lid' ? lidJid(lid, device) : numberJid(number, device))

/** The attribute with the other address of a member. */
export const otherName = ({ addressing }: Pick<GroupFace, 'addressing'>, { number, lid }: Somebody) =>
  addressing === 'lid' ? { participant_pn: numberJid(number) } : { participant_lid: lidJid(lid) }

export function createGroups(around: AroundGroups): Groups {
  const all = new Map<string, Group>()
  let lastId = 120_363_020_000_000_000n

  const create: Groups['create'] = (subject, members, addressing = 'lid') => {
    const group: Group = {
      ...{ id: String((lastId += 7n)), subject, addressing, members: [...members], admins: members.slice(0, 1) },
      ...{ isForAdmins: false, isLocked: false, description: null, timer: 0 },
      ...{ needsApproval: false, isAddedToByAdmins: false, requests: [] },
      ...{ request: () => {}, withdraw: () => {} },
      ...{ inviteCode: randomBytes(9).toString('base64url'), createdAt: nowSeconds() },
      reserveForAdmins: () => void (group.isForAdmins = true),
      ...{ community: [], isCommunity: false, communityId: null, isAnnouncements: false },
      placeIn(community) {
        const place = typeof community === 'string' ? undefined : community
        group.isCommunity = community === 'itself'
        group.communityId = place?.id ?? null
        group.isAnnouncements = place?.isAnnouncements === true
        group.community = [
          ...(group.isCommunity ? [node('parent')] : []),
          ...(group.isAnnouncements ? [node('default_sub_group')] : []),
          ...(place === undefined ? [] : [node('linked_parent', { jid: groupJid(place.id) })]),
        ]
      },
    }
    all.set(group.id, group)
    return group
  }

  const describe = (group: Group): Node => {
    const founder = around.person(group.members[0] ?? '')
    const participants = group.members.map((number) => {
      const one = around.person(number)
      const other = group.addressing === 'lid' ? { phone_number: numberJid(number) } : { lid: lidJid(one.lid) }
      const rank = number === group.admins[0] ? 'superadmin' : group.admins.includes(number) ? 'admin' : undefined
      return node('participant', { jid: memberJid(group, one), ...other, type: rank })
    })
    const attributes = {
      ...{ id: group.id, subject: group.subject, s_t: group.createdAt, creation: group.createdAt },
      ...{
        creator: memberJid(group, founder),
        creator_pn: numberJid(founder.number),
        addressing_mode: group.addressing,
      },
      size: group.members.length,
    }
    const rules = [...(group.isForAdmins ? ['announcement'] : []), ...(group.isLocked ? ['locked'] : [])]
    const { description } = group
    const words =
      description === null ? [] : [node('description', { id: VERSION }, [node('body', {}, Buffer.from(description))])]
    return node('group', attributes, [
      ...participants,
      ...rules.map((rule) => node(rule)),
      ...group.community,
      ...words,
    ])
  }

  const tell = (group: Group, by: Somebody, what: Node, to: readonly string[] = group.members) => {
    const names = { participant: memberJid(group, by), ...otherName(group, by), addressing_mode: group.addressing }
    const id = String(randomBytes(4).readUInt32BE())
    around.announce(
      to,
      node('notification', { from: groupJid(group.id), type: 'w:gp2', id, t: nowSeconds(), ...names }, [what]),
    )
  }

  function changeMembers(group: Group, by: Somebody, what: Node): Node {
    const before = [...group.members]
    const changed = childrenOf(what, 'participant').map(({ attrs }) => {
      const somebody = around.somebody(attrs['jid'] ?? '')
      if (!somebody) return node('participant', { jid: attrs['jid'], error: 404 })
      const isMember = group.members.includes(somebody.number)
      if ((what.tag === 'add') === isMember)
        return node('participant', { jid: attrs['jid'], error: isMember ? 409 : 404 })
      apply(group, what.tag, somebody.number)
      return node('participant', { jid: memberJid(group, somebody), phone_number: numberJid(somebody.number) })
    })
    const well = changed.filter(({ attrs }) => attrs['error'] === undefined)
    if (well.length > 0) tell(group, by, node(what.tag, {}, well), [...new Set([...before, ...group.members])])
    return node(what.tag, {}, changed)
  }

  function toAll(iq: Node, asker: Somebody): Node {
    const what = childrenOf(iq)[0] ?? node('nothing')
    const mine = [...all.values()].filter(({ members }) => members.includes(asker.number))
    switch (what.tag) {
      case 'participating':
        return resultOf(iq, [node('groups', {}, mine.map(describe))])
      case 'create': {
        const named = childrenOf(what, 'participant').map(({ attrs }) => around.somebody(attrs['jid'] ?? '')?.number)
        const others = named.filter((number) => number !== undefined)
        const group = create(what.attrs['subject'] ?? '', [asker.number, ...others])
        tell(group, asker, node('create', { type: 'new', key: what.attrs['key'] }, [describe(group)]))
        return resultOf(iq, [describe(group)])
      }
      case 'leave': {
        const left = childrenOf(what, 'group').map(({ attrs }) => all.get((attrs['id'] ?? '').replace('@g.us', '')))
        for (const group of left) if (group) leave(group, asker)
        return resultOf(iq, [
          node(
            'leave',
            {},
            left.map((group) => node('group', { id: group?.id })),
          ),
        ])
      }
      case 'invite': {
        const group = [...all.values()].find(({ inviteCode }) => inviteCode === what.attrs['code'])
        if (!group) return errorOf(iq, 406, 'not-acceptable')
        if (iq.attrs['type'] === 'get') return resultOf(iq, [describe(group)])
        if (!group.members.includes(asker.number)) group.members.push(asker.number)
        return resultOf(iq, [node('group', { jid: groupJid(group.id) })])
      }
      default:
        return errorOf(iq, 501, 'feature-not-implemented')
    }
  }

  function leave(group: Group, asker: Somebody): void {
    tell(group, asker, node('remove', {}, [node('participant', { jid: memberJid(group, asker) })]))
    apply(group, 'remove', asker.number)
  }

  function toOne(iq: Node, asker: Somebody, group: Group): Node {
    const what = childrenOf(iq)[0] ?? node('nothing')
    const isAdmin = group.admins.includes(asker.number)
    switch (what.tag) {
      case 'query':
        return resultOf(iq, [describe(group)])
      case 'add':
      case 'remove':
      case 'promote':
      case 'demote':
        return isAdmin ? resultOf(iq, [changeMembers(group, asker, what)]) : errorOf(iq, 403, 'forbidden')
      case 'subject':
        group.subject = textIn(what)
        tell(group, asker, node('subject', { subject: group.subject, s_t: nowSeconds() }))
        return resultOf(iq)
      case 'announcement':
      case 'not_announcement':
        if (!isAdmin) return errorOf(iq, 403, 'forbidden')
        group.isForAdmins = what.tag === 'announcement'
        tell(group, asker, node(what.tag))
        return resultOf(iq)
      case 'locked':
      case 'unlocked':
        if (!isAdmin) return errorOf(iq, 403, 'forbidden')
        group.isLocked = what.tag === 'locked'
        tell(group, asker, node(what.tag))
        return resultOf(iq)
      case 'description': {
        // A client must name the version that it replaces.
        if (what.attrs['prev'] !== (group.description === null ? undefined : VERSION))
          return errorOf(iq, 409, 'conflict')
        const body = childrenOf(what, 'body')[0]
        group.description = body === undefined ? null : textIn(body)
        tell(group, asker, what)
        return resultOf(iq)
      }
      case 'invite':
        if (!isAdmin) return errorOf(iq, 401, 'not-authorized')
        if (iq.attrs['type'] === 'set') group.inviteCode = randomBytes(9).toString('base64url')
        return resultOf(iq, [node('invite', { code: group.inviteCode })])
      default:
        return errorOf(iq, 501, `feature-not-implemented: ${what.tag}`)
    }
  }

  return {
    get: (id) => all.get(id),
    create,
    answer(iq, asker) {
      const to = iq.attrs['to'] ?? ''
      if (to === '@g.us') return toAll(iq, asker)
      const group = all.get(to.replace('@g.us', ''))
      if (!group) return errorOf(iq, 404, 'item-not-found')
      return group.members.includes(asker.number) ? toOne(iq, asker, group) : errorOf(iq, 403, 'forbidden')
    },
  }
}

function apply(group: Group, change: string, number: string): void {
  const without = (list: string[]) => {
    if (list.includes(number)) list.splice(list.indexOf(number), 1)
  }
  if (change === 'add') group.members.push(number)
  if (change === 'promote' && !group.admins.includes(number)) group.admins.push(number)
  if (change === 'remove' || change === 'demote') without(group.admins)
  if (change === 'remove') without(group.members)
}
