/** A chosen file of a session folder. */
export interface SessionFile {
  /** With the folders above it: `sessions/shop/creds.json`. */
  readonly path: string
  readonly lastModified: number
  text(): Promise<string>
}

export type FolderProblem = 'noSession' | 'several' | 'stillWritten'

/** A server that runs writes to its folder with every message. */
const QUIET_MS = 120_000
const CREDENTIALS = 'creds.json'

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The files of the one session in a chosen folder, or what is wrong with the choice. */
export function findSession(
  chosen: readonly SessionFile[],
  nowMs: number,
): { files: readonly SessionFile[] } | { problem: FolderProblem } {
  const [found, ...others] = chosen.filter(({ path }) => nameOf(path) === CREDENTIALS)
  if (found === undefined) return { problem: 'noSession' }
  if (others.length > 0) return { problem: 'several' }
  const folder = folderOf(found.path)
  const files = chosen.filter(({ path }) => folderOf(path) === folder && path.endsWith('.json'))
  const newestMs = files.reduce((newest, { lastModified }) => Math.max(newest, lastModified), 0)
  return nowMs - newestMs < QUIET_MS ? { problem: 'stillWritten' } : { files }
}

const upload = (lines: readonly string[]) => new Blob([lines.join('\n')], { type: 'application/x-ndjson' })

/** What `importInstanceSession` takes: a line for each file. */
export async function uploadOfFolder(files: readonly SessionFile[]): Promise<Blob> {
  const lines = files.map(async (file) => JSON.stringify({ name: nameOf(file.path), content: await file.text() }))
  return upload(await Promise.all(lines))
}

/** The same for an export of another Switchboard. */
export const uploadOfExport = (content: string, passphrase: string): Blob =>
  upload([JSON.stringify({ passphrase }), content])

/** A name for the file of an export: `bakery-luz.session`. */
export const exportName = (instanceName: string): string => `${instanceName}.session`
