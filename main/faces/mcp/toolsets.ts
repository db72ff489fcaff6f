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

/** `/mcp?toolsets=messages,sandbox`, `/mcp/readonly?toolsets=all`. Names that mean nothing (yet) show nothing. */
export function parseToolFilter(url: string): ToolFilter {
  const [path = '', query = ''] = url.split('?', 2)
  const toolsets = new URLSearchParams(query)
    .get('toolsets')
    ?.split(',')
    .map((name) => name.trim())
  return { toolsets, readOnly: path.endsWith('/readonly') }
}

/** Whether a tool is shown. @param isCommon it is shown to those who ask for nothing. */
export function isInToolsets(room: string, isCommon: boolean, toolsets: readonly string[] = [DEFAULT]): boolean {
  return toolsets.some(
    (name) => name === ALL || name === room || (name === DEFAULT && isCommon) || GROUPS[name]?.includes(room) === true,
  )
}
