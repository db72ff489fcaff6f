/** SIP messages (RFC 3261, section 7), written for the other side of the tests: nothing here is the product's. */

export type Header = readonly [name: string, value: string]

export interface SipMessage {
  readonly firstLine: string
  readonly headers: readonly Header[]
  readonly body: string
}

const COMPACT: Record<string, string> = {
  ...{ v: 'via', f: 'from', t: 'to', i: 'call-id', m: 'contact', l: 'content-length', c: 'content-type' },
}

const fullName = (name: string) => COMPACT[name.trim().toLowerCase()] ?? name.trim().toLowerCase()

export function parseMessage(text: string): SipMessage {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) throw new Error(`This is no SIP message: ${text}`)
  const [firstLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(':')
    return [fullName(line.slice(0, colon)), line.slice(colon + 1).trim()]
  })
  return { firstLine, headers, body: text.slice(headEnd + 4) }
}

export const writeMessage = (firstLine: string, headers: readonly Header[], body = ''): string =>
  [
    firstLine,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === '' || headers.some(([name]) => name === 'Content-Type') ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')

/** Takes whole messages out of a stream: Content-Length says where each ends (RFC 3261, section 18.3). */
export function createFraming(onMessage: (text: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const end = headEnd + 4 + Number(header(parseMessage(rest.subarray(0, headEnd + 4).toString()), 'content-length'))
      if (rest.length < end) return
      const text = rest.subarray(0, end).toString()
      rest = rest.subarray(end)
      onMessage(text)
    }
  }
}

export const headers = ({ headers: all }: SipMessage, name: string): string[] =>
  all.filter(([one]) => one === name.toLowerCase()).map(([, value]) => value)

export function header(message: SipMessage, name: string): string {
  const [value] = headers(message, name)
  if (value === undefined) throw new Error(`${message.firstLine} has no ${name}.`)
  return value
}

export const methodOf = ({ firstLine }: SipMessage): string => firstLine.split(' ')[0] ?? ''
export const requestUri = ({ firstLine }: SipMessage): string => firstLine.split(' ')[1] ?? ''
/** undefined: it is a request. */
export const statusOf = ({ firstLine }: SipMessage): number | undefined =>
  firstLine.startsWith('SIP/2.0 ') ? Number(firstLine.split(' ')[1]) : undefined

/** The address between `<` and `>`. */
export const uriOf = (value: string): string => /<([^>]+)>/.exec(value)?.[1] ?? value.split(';')[0] ?? ''
export const tagOf = (value: string): string | undefined => /;tag=([^;>\s]+)/.exec(value)?.[1]
export const branchOf = (message: SipMessage): string => /;branch=([^;\s]+)/.exec(header(message, 'via'))?.[1] ?? ''
