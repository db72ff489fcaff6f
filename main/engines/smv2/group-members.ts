import type { BinaryNode } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'
import { trustedToken } from './privacy-tokens.ts'
import { QUERY_MS } from './query.ts'
import { recipientOf } from './recipient.ts'

type Asking = Pick<OpenLink, 'library' | 'sock' | 'session'>

/** Groups as WhatsApp's own client makes them today; the library still asks in an older way. */
export interface GroupMembers {
  /**
   * @param members addresses, without the instance's own.
   * @param more what makes it more than a group.
   * @returns the address of the new group.
   */
  create(open: Asking, name: string, members: readonly string[], more?: readonly BinaryNode[]): Promise<string>
  /** @returns what the network says of it, such as `200`. */
  add(open: Asking, group: string, member: string): Promise<string>
}

export function createGroupMembers({ clock }: { readonly clock: Pick<Clock, 'now'> }): GroupMembers {
  /** Somebody as they are invited: a token they have given this account shows that they know it. */
  async function invited({ sock, session }: Asking, member: string): Promise<BinaryNode> {
    const { jid, number } = await recipientOf({ sock }, member)
    const token = addressOf(jid).kind === 'hidden' ? await trustedToken(session.keys, jid, clock.now()) : undefined
    return {
      tag: 'participant',
      attrs: { jid, ...(number !== null && { phone_number: number }) },
      ...(token && { content: [{ tag: 'privacy', attrs: {}, content: token }] }),
    }
  }

  return {
    async create(open, name, members, more = []) {
      const participants = await Promise.all(members.map((member) => invited(open, member)))
      const content = [...RULES, ...more, ...participants]
      const answer = await change(open, '@g.us', { tag: 'create', attrs: { subject: name }, content })
      const { id } = open.library.getBinaryNodeChild(answer, 'group')?.attrs ?? {}
      if (id === undefined) throw new Error('the network named no new group')
      return id.includes('@') ? id : `${id}@g.us`
    },
    async add(open, group, member) {
      const content = [await invited(open, member)]
      const answer = await change(open, group, { tag: 'add', attrs: {}, content })
      const added = open.library.getBinaryNodeChild(open.library.getBinaryNodeChild(answer, 'add'), 'participant')
      return added?.attrs['error'] ?? '200'
    },
  }
}

/** Members may add others, joining needs no approval, and messages do not disappear. */
const RULES: readonly BinaryNode[] = [
  { tag: 'member_add_mode', attrs: {}, content: 'all_member_add' },
  {
    tag: 'membership_approval_mode',
    attrs: {},
    content: [{ tag: 'group_join', attrs: { state: 'off' } }],
  },
  { tag: 'ephemeral', attrs: { expiration: '0' } },
]

/** @throws if it is refused, or if there is no answer in time. */
async function change({ sock }: Asking, to: string, content: BinaryNode): Promise<BinaryNode> {
  const iq: BinaryNode = { tag: 'iq', attrs: { to, type: 'set', xmlns: 'w:g2' }, content: [content] }
  // The library resolves with undefined if the network does not answer; its type does not say so.
  const answer = (await sock.query(iq, QUERY_MS)) as BinaryNode | undefined
  if (answer === undefined) throw new Error('the network did not answer a change of a group')
  return answer
}
