import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { isWellFormedKey } from '../kernel/keys.ts'
import { parseArguments } from './arguments.ts'
import { CommandError, type Terminal } from './terminal.ts'
import { relay } from './bridge/relay.ts'
import { MCP_USAGE } from './bridge/usage.ts'

const DEFAULT_URL = 'http://127.0.0.1:4780/mcp'

/** `mcp`: runs until standard input ends. Standard output carries only the protocol. */
export async function mcpCommand(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Pick<Terminal, 'err'>,
): Promise<void> {
  const { url, key } = parse(argv, environment)
  const headers = { authorization: `Bearer ${key}` }
  const far = new StreamableHTTPClientTransport(url, { requestInit: { headers }, onInsufficientScope: 'throw' })
  await relay({ near: new StdioServerTransport(), far, url, report: (sentence) => terminal.err(sentence) })
}

function parse(argv: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
  const options = { url: { type: 'string' }, key: { type: 'string' } } as const
  const { url = DEFAULT_URL, key = environment['SWITCHBOARD_KEY'] } = parseArguments(argv, {
    usage: MCP_USAGE,
    options,
  })
  if (key === undefined || key === '')
    throw new CommandError(`No API key. Set SWITCHBOARD_KEY or pass --key.\n${MCP_USAGE}`)
  if (!isWellFormedKey(key))
    throw new CommandError('Not a Switchboard API key. Keys start with swb_ and have 40 characters. Copy it again.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError(`${url} is not an http URL. The default is ${DEFAULT_URL}.`)
  return { url: new URL(url), key }
}
