interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** Clients of 2026-07-28 identify themselves here in every request; older ones once, in `initialize`. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const LONGEST = 100
// Removes characters that could rearrange the text around the name.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** Name and version of the client, from a JSON-RPC message; undefined if the message has none. */
export function clientInfoOf(body: unknown): ClientInfo | undefined {
  if (!isRecord(body) || !isRecord(body['params'])) return undefined
  const { params } = body
  const info =
    body['method'] === 'initialize' ? params['clientInfo'] : isRecord(params['_meta']) && params['_meta'][CLIENT_INFO]
  if (!isRecord(info)) return undefined
  const name = textOf(info['title']) || textOf(info['name'])
  return name === '' ? undefined : { name, version: textOf(info['version']) }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(INVISIBLE, ' ').trim().slice(0, LONGEST) : ''
