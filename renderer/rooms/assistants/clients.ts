import type { BridgeProgram } from '../../../main/capabilities/service/contract.ts'

/** Assistants' programs, and the configuration of each (README: Connect an assistant). */
export const CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vs-code', 'other'] as const
export type Client = (typeof CLIENTS)[number]

/** Which tools an assistant sees: the default ones, all, or only read-only ones. */
export const TOOL_ACCESS = ['usual', 'all', 'readonly'] as const
export type ToolAccess = (typeof TOOL_ACCESS)[number]

export interface Setup {
  /** The file for the text; undefined for a terminal command. */
  readonly file: string | undefined
  readonly text: string
  /** The text contains the key and must be kept secret like it. */
  readonly holdsKey: boolean
}

const UNKNOWN_KEY = 'swb_…'

export function addressFor(mcp: string, toolAccess: ToolAccess): string {
  if (toolAccess === 'readonly') return `${mcp}/readonly`
  return toolAccess === 'all' ? `${mcp}?toolsets=all` : mcp
}

/** Lists of plain words stay on one line, as people write them. */
const json = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/\[[^[\]{}]*\]/g, (list) =>
    list.replace(/\n\s*/g, ' ').replace(/^\[ | \]$/g, (end) => end.trim()),
  )

/** The connection data for a client. */
export interface Connection {
  /** URL of its MCP endpoint. */
  readonly url: string
  /** Starts our bridge over stdio; null if there is none: in the packaged app, or on another computer. */
  readonly bridge: BridgeProgram | null
  /** The value of a key that was just created; otherwise a placeholder is used. */
  readonly key?: string | undefined
}

/** The exact text to paste into a client. */
export function setupOf(client: Client, { url, bridge, key }: Connection): Setup {
  const value = key ?? UNKNOWN_KEY
  return {
    'claude-desktop': () => ({
      file: 'claude_desktop_config.json',
      text: json({
        mcpServers: {
          switchboard: bridge === null ? remoteBridge(url, value) : ownBridge(bridge, url, value),
        },
      }),
      holdsKey: key !== undefined,
    }),
    'claude-code': () => ({
      file: undefined,
      // Quoted, because a shell would interpret special characters of the URL.
      text: `claude mcp add --transport http switchboard ${url.includes('?') ? `'${url}'` : url} --header "Authorization: Bearer ${value}"`,
      holdsKey: key !== undefined,
    }),
    cursor: () => ({
      file: '~/.cursor/mcp.json',
      text: json({
        mcpServers: { switchboard: { url, headers: { Authorization: 'Bearer ${env:SWITCHBOARD_KEY}' } } },
      }),
      holdsKey: false,
    }),
    'vs-code': () => ({
      file: '.vscode/mcp.json',
      text: json({
        inputs: [{ type: 'promptString', id: 'switchboard-key', description: 'Switchboard API key', password: true }],
        servers: {
          switchboard: { type: 'http', url, headers: { Authorization: 'Bearer ${input:switchboard-key}' } },
        },
      }),
      holdsKey: false,
    }),
    other: () => ({
      file: 'mcp.json',
      text: json({
        mcpServers: { switchboard: { type: 'http', url, headers: { Authorization: `Bearer ${value}` } } },
      }),
      holdsKey: key !== undefined,
    }),
  }[client]()
}

const ownBridge = ({ command, args }: BridgeProgram, url: string, key: string) => ({
  command,
  args: [...args, '--url', url],
  env: { SWITCHBOARD_KEY: key },
})

/**
 * The usual stdio bridge, from npm. The header comes from a variable, because some clients split arguments at spaces.
 */
const remoteBridge = (url: string, key: string) => ({
  command: 'npx',
  args: [
    ...['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
    ...(url.startsWith('https:') ? [] : ['--allow-http']),
  ],
  env: { AUTHORIZATION: `Bearer ${key}` },
})
