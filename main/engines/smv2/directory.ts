import type { BinaryNode, LIDMapping, WASocket } from 'baileys'
import { personKey } from '../../kernel/phone-number.ts'
import { addressOf } from './jid.ts'
import type { Library } from './library.ts'
import { bytesIn } from './pairing-notices.ts'
import { QUERY_MS } from './query.ts'

interface Entry {
  /** The number as it was asked for; null: the network does not repeat it. */
  readonly asked: string | null
  /** As the network writes it; null: nobody is there. */
  readonly number: string | null
  /** Their hidden id and number, if the network names both. */
  readonly pair: LIDMapping | null
}

interface Directory {
  readonly library: Pick<Library, 'getBinaryNodeChild' | 'getBinaryNodeChildren' | 'S_WHATSAPP_NET'>
  readonly sock: Pick<WASocket, 'query' | 'generateMessageTag'>
}

/** What WhatsApp's own client asks about people whom it looks for by number. */
const QUESTIONS: readonly BinaryNode[] = [
  { tag: 'contact', attrs: { addressing_mode: 'lid' } },
  { tag: 'business', attrs: {}, content: [{ tag: 'verified_name', attrs: {} }] },
  { tag: 'disappearing_mode', attrs: {} },
  { tag: 'username', attrs: {} },
]

/**
 * Asks the network who has these numbers. It may know somebody under another spelling than the one that was asked for, a
 * Mexican mobile with a 1 for example, and says which question each answer belongs to. The library drops that, and does
 * not ask for hidden ids.
 * @returns each number as the network writes it, or null: nobody is there; and the hidden ids that belong to numbers.
 */
export async function askDirectory(
  directory: Directory,
  numbers: readonly string[],
): Promise<{ readonly found: Map<string, string | null>; readonly pairs: readonly LIDMapping[] }> {
  const { getBinaryNodeChild } = directory.library
  const asked = numbers.map((number) => element('user', [element('contact', `+${number}`)]))
  const users = await askUsers(directory, QUESTIONS, asked)
  const entries = users.map((user) => entryOf(user, getBinaryNodeChild(user, 'contact')))
  return {
    found: new Map(numbers.map((number) => [number, answerTo(number, entries)])),
    pairs: entries.flatMap(({ pair }) => pair ?? []),
  }
}

/**
 * Reads the About text of a person, if this account may see it.
 * @param token the trusted contact token that the person gave to this account, if they did.
 */
export async function askAbout(directory: Directory, jid: string, token: Buffer | undefined): Promise<string | null> {
  const proof: BinaryNode[] = token === undefined ? [] : [{ tag: 'tctoken', attrs: {}, content: token }]
  const user: BinaryNode = { tag: 'user', attrs: { jid }, content: proof }
  const [found] = await askUsers(directory, [{ tag: 'status', attrs: {} }], [user])
  const status = directory.library.getBinaryNodeChild(found, 'status')
  const { content } = status ?? {}
  const text = typeof content === 'string' ? content : bytesIn(status).toString()
  return text === '' ? null : text
}

/** @returns one entry for each user that the network knows. */
async function askUsers(
  { library, sock }: Directory,
  questions: readonly BinaryNode[],
  users: BinaryNode[],
): Promise<BinaryNode[]> {
  const { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } = library
  const usync: BinaryNode = {
    tag: 'usync',
    attrs: { context: 'interactive', mode: 'query', sid: sock.generateMessageTag(), last: 'true', index: '0' },
    content: [element('query', [...questions]), element('list', users)],
  }
  const iq: BinaryNode = { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' }, content: [usync] }
  // The library resolves with undefined if the network does not answer; its type does not say so.
  const answer = (await sock.query(iq, QUERY_MS)) as BinaryNode | undefined
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list')
  if (answer?.attrs['type'] !== 'result' || list === undefined)
    throw new Error('the network did not answer a question about people')
  return getBinaryNodeChildren(list, 'user')
}

const element = (tag: string, content: NonNullable<BinaryNode['content']>): BinaryNode => ({ tag, attrs: {}, content })

/** Somebody who is there has an address. It may be the hidden one, with the number beside it. */
function entryOf({ attrs }: BinaryNode, contact: BinaryNode | undefined): Entry {
  const asked = bytesIn(contact).toString().replaceAll(/\D/g, '')
  const jids = [attrs['jid'], attrs['pn_jid']].flatMap((jid) => jid ?? [])
  const [named, hidden] = (['number', 'hidden'] as const).map((kind) =>
    jids.find((jid) => addressOf(jid).kind === kind),
  )
  const isThere = contact?.attrs['type'] === 'in' && attrs['jid'] !== undefined
  return {
    asked: asked === '' ? null : asked,
    number: isThere ? (named === undefined ? asked : addressOf(named).user) : null,
    pair: isThere && named !== undefined && hidden !== undefined ? { lid: hidden, pn: named } : null,
  }
}

function answerTo(number: string, entries: readonly Entry[]): string | null {
  const mine = entries.filter(({ asked }) => asked === number)
  const key = personKey(number)
  const alike = entries.filter(
    (entry) => entry.asked === null && entry.number !== null && personKey(entry.number) === key,
  )
  return [...mine, ...alike].find((entry) => entry.number !== null)?.number ?? null
}
