/** The tools a client asks for with the URL it uses. */
export interface ToolFilter {
  /** Rooms, groups of rooms, `default` or `all`; undefined means `default`. */
  readonly toolsets?: readonly string[] | undefined
  /** Only read-only tools are listed and can be called. */
  readonly readOnly?: boolean
}

const ALL = 'all'
const DEFAULT = 'default'

/** Groups of rooms. A single room has its own name. */
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

/** All toolset names. @param rooms with tools. */
export const toolsetNames = (rooms: readonly string[]): string[] => [DEFAULT, ALL, ...Object.keys(GROUPS), ...rooms]

/** @returns an error message if a name is unknown; an empty list of tools would not explain it. */
export function unknownToolset({ toolsets = [] }: ToolFilter, known?: readonly string[]): string | undefined {
  const unknown = known === undefined ? [] : toolsets.filter((name) => !known.includes(name))
  if (unknown.length === 0 || known === undefined) return undefined
  const names = unknown.map((name) => JSON.stringify(name.slice(0, 50))).join(', ')
  return `Unknown toolset ${names}. Use one or more of: ${known.join(', ')}.`
}

/** Whether a tool is listed. @param isCommon part of the default toolset. */
export function isInToolsets(room: string, isCommon: boolean, toolsets: readonly string[] = [DEFAULT]): boolean {
  return toolsets.some(
    (name) => name === ALL || name === room || (name === DEFAULT && isCommon) || GROUPS[name]?.includes(room) === true,
  )
}
