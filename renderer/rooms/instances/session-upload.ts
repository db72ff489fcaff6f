/** A selected file of a session folder. */
export interface SessionFile {
  /** The path with its parent folders: `sessions/shop/creds.json`. */
  readonly path: string
  readonly lastModified: number
  text(): Promise<string>
}

export type FolderProblem = 'noSession' | 'several' | 'stillWritten'

/** A running server writes to its folder with every message, so recent changes mean that it still runs. */
const QUIET_MS = 120_000
const CREDENTIALS = 'creds.json'

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The files of the only session in the selected folder, or the problem with the selection. */
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

/** The upload for `importInstanceSession`: one line per file. */
export async function uploadOfFolder(files: readonly SessionFile[]): Promise<Blob> {
  const lines = files.map(async (file) => JSON.stringify({ name: nameOf(file.path), content: await file.text() }))
  return upload(await Promise.all(lines))
}

/** The same for an export from another Switchboard. */
export const uploadOfExport = (content: string, passphrase: string): Blob =>
  upload([JSON.stringify({ passphrase }), content])

/** The file name of an export: `bakery-luz.session`. */
export const exportName = (instanceName: string): string => `${instanceName}.session`
