interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** Where a client of 2026-07-28 says who it is, with each request; older ones say it once, in `initialize`. */
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const LONGEST = 100
// Control, formatting and bidirectional characters: a name is shown to people and must not rearrange what is around it.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** What the client behind a JSON-RPC message says it is; undefined when the message does not say. */
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
