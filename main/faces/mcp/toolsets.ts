/** Which tools a caller asked to be shown, by the address it uses. */
export interface ToolFilter {
  /** Rooms, their groups, `default` or `all`; undefined is the same as `default`. */
  readonly toolsets?: readonly string[] | undefined
  /** Only tools that change nothing are shown, and only they can be called. */
  readonly readOnly?: boolean
}

/** Every room, whatever it costs the conversation. */
const ALL = 'all'
/** What is shown to those who ask for nothing. */
const DEFAULT = 'default'

/** Names for what belongs together; a room is called by its own name. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  messaging: ['instances', 'messages'],
  receiving: ['webhooks', 'instance-webhook', 'events'],
  testing: ['sandbox'],
}

/** `/mcp?toolsets=messages,sandbox`, `/mcp/readonly?toolsets=all`. */
export function parseToolFilter(url: string): ToolFilter {
  const [path = '', query = ''] = url.split('?', 2)
  const toolsets = new URLSearchParams(query)
    .get('toolsets')
    ?.split(',')
    .map((name) => name.trim())
  return { toolsets, readOnly: path.endsWith('/readonly') }
}

/** Every name that may be asked for. @param rooms those that have tools. */
export const toolsetNames = (rooms: readonly string[]): string[] => [DEFAULT, ALL, ...Object.keys(GROUPS), ...rooms]

/** What is wrong with the names that were asked for: an empty list of tools would not say it. */
export function unknownToolset({ toolsets = [] }: ToolFilter, known?: readonly string[]): string | undefined {
  const wrong = known === undefined ? [] : toolsets.filter((name) => !known.includes(name))
  if (wrong.length === 0 || known === undefined) return undefined
  const named = wrong.map((name) => JSON.stringify(name.slice(0, 50))).join(', ')
  return `Unknown toolset ${named}. Use one or more of: ${known.join(', ')}.`
}

/** Whether a tool is shown. @param isCommon it is shown to those who ask for nothing. */
export function isInToolsets(room: string, isCommon: boolean, toolsets: readonly string[] = [DEFAULT]): boolean {
  return toolsets.some(
    (name) => name === ALL || name === room || (name === DEFAULT && isCommon) || GROUPS[name]?.includes(room) === true,
  )
}
