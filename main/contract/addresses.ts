/** Patterns of message recipients, without anchors. */

/** A phone number with country code. */
export const NUMBER = '[0-9]{7,15}'

/** A group: `120363041234567890@g.us`. One of Meta's Groups API is Meta's id with the same ending. */
export const GROUP_ID = '[A-Za-z0-9._-]{1,128}@g[.]us'

/** The official engine's ID for a person who hides their number: `US.13491208655302741918`. */
export const USER_ID = '[A-Z]{2}[.](?:ENT[.])?[A-Za-z0-9]{1,128}'

/** A channel on smv2: `120363041234567890@newsletter`. Only its admins post in it. */
export const CHANNEL_ID = '[A-Za-z0-9._-]{1,60}@newsletter'

/** The kind of a chat, derived from its ID. */
export const CHAT_TYPES = ['person', 'group', 'channel'] as const
export type ChatType = (typeof CHAT_TYPES)[number]

const GROUP = new RegExp(`^${GROUP_ID}$`)
const CHANNEL = new RegExp(`^${CHANNEL_ID}$`)

export const chatTypeOf = (chat: string): ChatType =>
  CHANNEL.test(chat) ? 'channel' : GROUP.test(chat) ? 'group' : 'person'
