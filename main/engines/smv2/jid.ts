import { personKey } from '../../kernel/phone-number.ts'

/** An address of the network, taken apart: `12025550123:11@s.whatsapp.net` is device 11 of a number. */
export interface Address {
  readonly user: string
  readonly kind: 'number' | 'hidden' | 'group' | 'other'
}

const KINDS: Readonly<Record<string, Address['kind']>> = {
  's.whatsapp.net': 'number',
  'c.us': 'number',
  lid: 'hidden',
  'g.us': 'group',
}

export function addressOf(jid: string): Address {
  const at = jid.lastIndexOf('@')
  const [user = ''] = jid.slice(0, Math.max(at, 0)).split(':', 1)
  return { user, kind: KINDS[jid.slice(at + 1)] ?? 'other' }
}

export const numberJid = (digits: string): string => `${digits}@s.whatsapp.net`
export const hiddenJid = (digits: string): string => `${digits}@lid`
/** One name for a conversation, however its number is written. */
export const chatKeyOf = (to: string): string => (isGroupJid(to) ? to : personKey(to))
export const isChannelJid = (id: string): boolean => id.endsWith('@newsletter')
export const isGroupJid = (id: string): boolean => id.endsWith('@g.us')
