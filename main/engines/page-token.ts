import { hash } from 'node:crypto'
import type { Db } from '../kernel/db.ts'
import type { InstanceId, Random } from '../kernel/ids.ts'
import { isSealed, type Seal } from '../kernel/seal.ts'
import { Secret } from '../kernel/secret.ts'
import { sql } from '../kernel/sql.ts'

/** How a row keeps the token of the page that connects a number. `token` is in the clear; earlier versions wrote it. */
export interface PageTokenColumns {
  readonly token: string | null
  readonly tokenHash: Uint8Array | null
  readonly tokenSealed: Uint8Array | null
}

export const PAGE_TOKEN_COLUMNS = 'token, token_hash AS tokenHash, token_sealed AS tokenSealed'
export const NO_PAGE_TOKEN = 'token = NULL, token_hash = NULL, token_sealed = NULL'

interface StoredToken {
  readonly tokenHash: Uint8Array
  readonly tokenSealed: Uint8Array
}

/** A token has 192 random bits, so a hash without a key does not help to guess it. */
export const hashOfToken = (token: string): Buffer => hash('sha256', token, 'buffer')

const ownerOf = (instanceId: InstanceId) => `page token:${instanceId}`

export type PageTokens = ReturnType<typeof createPageTokens>

/** @throws ApiError sealed, from `make`. */
export function createPageTokens({ db, seal, random }: { db: Db; seal: Seal; random: Random }) {
  const store = (instanceId: InstanceId, token: string): StoredToken => ({
    tokenHash: hashOfToken(token),
    tokenSealed: seal.seal(new Secret(token), ownerOf(instanceId)),
  })

  /** @returns the columns of each row as they are now. */
  async function protect<Row extends PageTokenColumns & { readonly instanceId: InstanceId }>(
    table: 'official_numbers' | 'sandbox_lines',
    rows: readonly Row[],
  ): Promise<readonly Row[]> {
    const inClear = rows.filter(({ token }) => token !== null)
    // Until the vault is open they are recognized by their hash, and sealed after the next start.
    const isOpen = seal.state() === 'open'
    const changed = new Map<InstanceId, Row>()
    for (let at = 0; at < inClear.length; at += PORTION)
      await db.commit(async (tx) => {
        for (const row of inClear.slice(at, at + PORTION)) {
          const token = row.token ?? ''
          const columns = isOpen
            ? { token: null, ...store(row.instanceId, token) }
            : { token, tokenHash: hashOfToken(token), tokenSealed: null }
          await tx.run(PROTECT[table], { instanceId: row.instanceId, before: token, ...columns })
          changed.set(row.instanceId, { ...row, ...columns })
        }
      })
    return rows.map((row) => changed.get(row.instanceId) ?? row)
  }

  return {
    make: (instanceId: InstanceId): StoredToken => store(instanceId, random.bytes(24).toString('base64url')),
    protect,
    /** @returns null while the vault is not open. */
    show(instanceId: InstanceId, { token, tokenSealed }: PageTokenColumns): string | null {
      if (tokenSealed === null) return token
      try {
        return seal.open(tokenSealed, ownerOf(instanceId)).open()
      } catch (error) {
        if (isSealed(error)) return null
        throw error
      }
    },
  }
}

const PORTION = 500

const protectIn = (table: string) =>
  sql<PageTokenColumns & { instanceId: string; before: string }>(
    `UPDATE ${table} SET token = :token, token_hash = :tokenHash, token_sealed = :tokenSealed
     WHERE instance_id = :instanceId AND token = :before`,
  )

const PROTECT = { official_numbers: protectIn('official_numbers'), sandbox_lines: protectIn('sandbox_lines') }
