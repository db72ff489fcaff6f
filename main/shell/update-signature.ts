import canonicalize from 'canonicalize'
import { createHash, verify, type KeyObject } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { createCheck } from '../faces/validation.ts'

/**
 * The content of `latest*.yml` for a release. Its sha512 alone does not prove who made it, because it comes from the
 * same host as the file. `signature` is ours, Ed25519 over `statementOf`, verified with a built-in key.
 */
const Release = Type.Object({
  version: Type.String({ pattern: '^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$' }),
  files: Type.Array(
    Type.Object({
      url: Type.String({ minLength: 1 }),
      sha512: Type.String({ minLength: 1 }),
      size: Type.Integer({ minimum: 1 }),
    }),
    { minItems: 1 },
  ),
  signature: Type.String({ minLength: 1 }),
})
export type Release = Static<typeof Release>

export type Offer =
  | { readonly kind: 'newest' }
  | { readonly kind: 'refused'; readonly why: 'unreadable' | 'unsigned' }
  | { readonly kind: 'offered'; readonly release: Release }

const check = createCheck('body', Release)

/**
 * Whether the channel's release is an update for us. The signature is verified first: an unsigned release is refused
 * with an error and not ignored. An older release is never offered, signed or not.
 * @param feed `latest*.yml`, parsed. @param current the running version.
 */
export function offerOf(feed: unknown, { key, current }: { key: KeyObject; current: string }): Offer {
  try {
    check(feed)
  } catch {
    return { kind: 'refused', why: 'unreadable' }
  }
  // Just checked above.
  const release = feed as Release
  if (!verify(null, Buffer.from(statementOf(release)), key, Buffer.from(release.signature, 'base64')))
    return { kind: 'refused', why: 'unsigned' }
  return isLater(release.version, current) ? { kind: 'offered', release } : { kind: 'newest' }
}

/** The signed text: the version and its files, independent of the YAML formatting. */
export function statementOf({ version, files }: Pick<Release, 'version' | 'files'>): string {
  const named = files.map(({ url, sha512, size }) => ({ url, sha512, size }))
  return canonicalize({ app: 'switchboard', version, files: named }) ?? ''
}

/** Whether these bytes are one of the signed files. Called again right before installing. */
export async function isOneOf({ files }: Release, bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  const hash = createHash('sha512')
  let size = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    size += chunk.length
  }
  const digest = hash.digest('base64')
  return files.some((file) => file.size === size && file.sha512 === digest)
}

/**
 * Released versions have no suffix; the running one may have one, such as `-beta`, and then sorts before its release.
 */
function isLater(version: string, current: string): boolean {
  const [now = '', mark] = current.split('-', 2)
  const others = now.split('.').map(Number)
  for (const [at, number] of version.split('.').map(Number).entries()) {
    const other = others[at] ?? 0
    if (number !== other) return number > other
  }
  return mark !== undefined
}
