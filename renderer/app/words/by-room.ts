export type Words = { readonly [key: string]: string | Words }

/** `locales/<language>/<room>.json`: the words of a room are keyed by its name. */
export function byRoom(files: Readonly<Record<string, Words>>): Words {
  const rooms: Record<string, Words> = {}
  for (const [path, words] of Object.entries(files)) {
    const [, room] = /(?:^|\/)([^/]+)\.json$/.exec(path) ?? []
    if (room !== undefined) rooms[room] = words
  }
  return rooms
}
