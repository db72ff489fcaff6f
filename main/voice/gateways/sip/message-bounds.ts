/** Requests of trunks have some 2,000 bytes and 20 lines. Parsing 60 kB of short ones takes JsSIP half a second. */
const LONGEST_HEAD = 16 * 1024
const MOST_LINES = 100

const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'

/**
 * Judges a message before it is parsed, in the process that carries the audio of all calls.
 * @returns null if it may be parsed; else what to answer, which is null for a response, for an ACK, and where a header is
 * missing that every answer repeats (RFC 3261, 8.2.6).
 */
export function refusalOf(message: string): { readonly answer: string | null } | null {
  const end = message.indexOf(HEAD_END)
  const head = end < 0 ? message : message.slice(0, end)
  const isLong = head.length > LONGEST_HEAD
  if (!isLong && !hasManyLines(head)) return null
  return { answer: answerTo(head, isLong ? '513 Message Too Large' : '400 Too Many Headers') }
}

function hasManyLines(head: string): boolean {
  let lines = 1
  for (let at = head.indexOf(LINE_END); at >= 0; at = head.indexOf(LINE_END, at + 1))
    if (++lines > MOST_LINES) return true
  return false
}

/** Every answer repeats these; only the first may be there several times. */
const REPEATED = [
  ['Via', /^(?:via|v)\s*:/i],
  ['From', /^(?:from|f)\s*:/i],
  ['To', /^(?:to|t)\s*:/i],
  ['Call-ID', /^(?:call-id|i)\s*:/i],
  ['CSeq', /^cseq\s*:/i],
] as const

function answerTo(head: string, status: string): string | null {
  // The last line may be cut off.
  const known = head
    .slice(0, LONGEST_HEAD)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split(LINE_END, MOST_LINES)
  const [first = '', ...lines] = head.length > LONGEST_HEAD ? known.slice(0, -1) : known
  if (!first.endsWith(' SIP/2.0') || first.startsWith('ACK ')) return null
  const repeated: string[] = []
  for (const [name, pattern] of REPEATED) {
    const found = lines.filter((line) => pattern.test(line)).map((line) => line.slice(line.indexOf(':') + 1).trim())
    const values = name === 'Via' ? found : found.slice(0, 1)
    if (values.length === 0) return null
    for (const value of values) repeated.push(`${name}: ${name === 'To' ? tagged(value) : value}`)
  }
  return [`SIP/2.0 ${status}`, ...repeated, 'Content-Length: 0', '', ''].join(LINE_END)
}

/** Answers to a request that begins a dialog have a tag of their own. */
const tagged = (to: string): string => (/;\s*tag\s*=/i.test(to) ? to : `${to};tag=refused`)
