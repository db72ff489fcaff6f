import type { Engine } from '../../contract/shapes.ts'
import type { MessageId, Random } from '../../kernel/ids.ts'

const OURS = 'msg_'
const PREFIX = { smv2: '3EB0', official: 'wamid.SANDBOX' } as const satisfies Record<Engine, string>

/**
 * The network's id of a message. It contains our whole id, so after a restart each can be derived from the other
 * without an index, and it ascends with time as ours does.
 */
export function networkId(engine: Engine, messageId: MessageId | string): string {
  return PREFIX[engine] + (messageId.startsWith(OURS) ? messageId.slice(OURS.length) : messageId)
}

/** Our id of a message an instance sent. */
export function messageIdOf(engineMessageId: string): string {
  const prefix = Object.values(PREFIX).find((start) => engineMessageId.startsWith(start)) ?? ''
  return OURS + engineMessageId.slice(prefix.length)
}

/** The ids a caller may mean: the network's own, or ours under either engine. */
export function networkIds(id: string): string[] {
  return id.startsWith(OURS) ? [networkId('smv2', id), networkId('official', id)] : [id]
}

/** Separates the id of a message from the number of a group member: each member has a copy of their own. */
const OF_MEMBER = '~'

export const memberCopyId = (id: string, number: string): string => `${id}${OF_MEMBER}${number}`

/** The id of the message, also for a member's copy. */
export const idOfCopy = (id: string): string => id.split(OF_MEMBER, 1)[0] ?? id

/** The range that contains the ids of all members' copies. */
export const copyRange = (id: string) => ({ from: `${id}${OF_MEMBER}`, to: `${id}${OF_MEMBER}:` })

/** The id of a message from a phone. */
export function phoneMessageId(nowMs: number, random: Random): string {
  return `SANDBOX${nowMs.toString(16).padStart(12, '0')}${random.bytes(8).toString('hex')}`.toUpperCase()
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** One character for each 5 bits, without letters that look like digits. */
export function crockford(bytes: Buffer): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => CROCKFORD[Number.parseInt(five, 2)]).join('')
}

/** Corrects a typed code: any case, with or without the hyphen, O for 0, I and L for 1. */
export function normalizeCrockford(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
}

/** Whether these are the fifteen digits that stand for a person who hides their number. */
export const isHidden = (number: string): boolean => /^9000000[0-9]{8}$/.test(number)

/** The default name of a phone. */
export const defaultName = (number: string): string => `Sandbox phone ${number.slice(-4)}`
