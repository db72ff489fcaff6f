import type { SandboxMessage } from '../../../main/contract/sandbox.ts'

/**
 * The received and sent messages of a phone, oldest first. A message that is in both lists, such as one that a phone
 * sends to itself, appears once, as the service reported it. Messages that have disappeared are left out.
 */
export function threadOf(
  received: readonly SandboxMessage[],
  sent: readonly SandboxMessage[],
  nowMs: number,
): SandboxMessage[] {
  const all = new Map([...sent, ...received].map((message) => [message.id, message]))
  return [...all.values()]
    .filter(({ disappears_at }) => disappears_at === null || Date.parse(disappears_at) > nowMs)
    .sort((one, other) => one.sent_at.localeCompare(other.sent_at))
}

/** A status post, which disappears after a day and cannot be answered in a chat. */
export const isStatus = ({ type }: Pick<SandboxMessage, 'type'>): boolean => type === 'status'

/** The other side of each conversation of a phone, latest conversation first. */
export function partnersOf(thread: readonly SandboxMessage[], number: string): string[] {
  const messages = thread.filter((message) => !isStatus(message))
  const others = messages.toReversed().map(({ from, to }) => (from === number ? to : from))
  return [...new Set(others)]
}

/** Removes the spaces, hyphens and plus signs that people write in numbers; the network uses only digits. */
export const digitsOf = (text: string): string => text.replace(/[\s().+-]/g, '')

export const isNumber = (text: string): boolean => /^[1-9]\d{6,14}$/.test(digitsOf(text))

/** Last four digits that decide how a number behaves (sandbox contract). */
const ENDINGS = {
  restricted: '0463',
  notThere: '0404',
  failsLater: '0410',
  unreachable: '0502',
  silent: '0504',
  neverDelivered: '0007',
} as const

export type Ending = keyof typeof ENDINGS
export const ENDING_NAMES = Object.keys(ENDINGS) as readonly Ending[]

export const endingOf = (number: string): Ending | undefined =>
  ENDING_NAMES.find((name) => digitsOf(number).endsWith(ENDINGS[name]))

/** A fictional number with an ending that decides how it behaves. */
export const withEnding = (ending: Ending): string => `1202555${ENDINGS[ending]}`

/** The next free number of a range reserved for fiction. */
export function freeNumber(taken: readonly string[]): string {
  for (let n = 123; n < 1_000; n++) {
    const number = `12025550${n}`
    if (!taken.includes(number) && endingOf(number) === undefined) return number
  }
  return ''
}
