import type { AccountId } from '../../kernel/ids.ts'
import type { HttpTool } from './contract/tools.ts'
import type { AiDeps } from './deps.ts'
import type { HttpToolRow } from './http-tool-store.ts'
import type { HttpTools } from './http-tools.ts'

type Value = string | number | boolean

const TIMEOUT_MS = 10_000
const MAX_BODY_BYTES = 64 * 1024
const RESULT_LENGTH = 4_000

/** Calls one of the operator's tools. @returns text for the model; a failure is returned as a sentence. */
export function createHttpCall({
  outbound,
  tools,
}: Pick<AiDeps, 'outbound'> & { readonly tools: Pick<HttpTools, 'openSecret'> }) {
  return async (
    tool: HttpToolRow,
    given: Readonly<Record<string, unknown>>,
    accountId: AccountId,
    signal: AbortSignal,
  ): Promise<string> => {
    const values = valuesOf(JSON.parse(tool.parameters) as HttpTool['parameters'], given)
    const { url, rest } = fillIn(tool.url, values)
    const hasBody = tool.method !== 'GET' && tool.method !== 'DELETE'
    const query = hasBody ? '' : new URLSearchParams([...rest].map(([name, value]) => [name, String(value)])).toString()
    const secret = tools.openSecret(tool)
    const answer = await outbound.request({
      url: query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`,
      method: tool.method,
      headers: {
        accept: 'application/json, text/plain',
        'user-agent': 'Switchboard',
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(secret !== null && tool.secretHeader !== null && { [tool.secretHeader.toLowerCase()]: secret.open() }),
      },
      ...(hasBody && { body: Buffer.from(JSON.stringify(Object.fromEntries(rest))) }),
      headersTimeoutMs: TIMEOUT_MS,
      bodyTimeoutMs: TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      signal,
      from: { accountId },
    })
    if (answer.kind === 'failure') return 'The service could not be reached.'
    const text = withoutSecret(answer.body.toString(), secret?.open())
    const status =
      answer.status >= 200 && answer.status < 300 ? '' : `The service answered with status ${answer.status}. `
    return (status + text).slice(0, RESULT_LENGTH)
  }
}

/** Only declared parameters, with their declared type. @throws Error if one is missing */
function valuesOf(parameters: HttpTool['parameters'], given: Readonly<Record<string, unknown>>): Map<string, Value> {
  const values = new Map<string, Value>()
  for (const { name, type, required } of parameters) {
    const value = given[name]
    const isFitting =
      type === 'integer'
        ? Number.isSafeInteger(value)
        : type === 'number'
          ? Number.isFinite(value)
          : typeof value === type
    if (isFitting) values.set(name, value as Value)
    else if (required) throw new Error(`The parameter ${name} must be of type ${type}.`)
  }
  return values
}

/** Encodes the values, so that none can change the path. */
function fillIn(template: string, values: ReadonlyMap<string, Value>): { url: string; rest: Map<string, Value> } {
  const rest = new Map(values)
  const url = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    rest.delete(name)
    const text = encodeURIComponent(String(values.get(name) ?? ''))
    return text === '.' || text === '..' ? '' : text
  })
  return { url, rest }
}

/** A service may echo its headers; the secret must not reach the model. */
function withoutSecret(text: string, secret: string | undefined): string {
  if (secret === undefined) return text
  const bare = secret.replace(/^\S+\s+/, '')
  return [secret, bare]
    .filter((part) => part.length >= 4)
    .reduce((left, part) => left.replaceAll(part, '[secret]'), text)
}
