import { createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Random } from '../../kernel/ids.ts'
import { insertMeta } from '../../kernel/meta.ts'

interface LinksDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}

/** Signed addresses of recordings, valid for five minutes. They need no key: an audio element follows them. */
export function createLinks({ db, clock, random }: LinksDeps) {
  let key: Promise<Buffer> | undefined
  const secret = () => (key ??= linkKey(db, random))

  const sign = async (id: string, expires: number): Promise<string> =>
    createHmac('sha256', await secret())
      .update(`rec\n${id}\n${expires}`)
      .digest('base64url')

  return {
    /** Relative to the base URL. */
    async to(id: string): Promise<string> {
      const expires = Math.floor(clock.now() / 1_000) + LIMITS.voiceLinkSeconds
      return `/files/rec/${id}?exp=${expires}&sig=${await sign(id, expires)}`
    },
    async isValid(id: string, expires: string, signature: string): Promise<boolean> {
      if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 <= clock.now()) return false
      const [mine, theirs] = [Buffer.from(await sign(id, Number(expires))), Buffer.from(signature)]
      return mine.length === theirs.length && timingSafeEqual(mine, theirs)
    },
  }
}

/** It guards against guessing, not against reading, so it is kept in the open part of the database. */
async function linkKey(db: Db, random: Random): Promise<Buffer> {
  const fresh = random.bytes(32).toString('base64')
  return Buffer.from(await db.commit((tx) => insertMeta(tx, 'voice_link_key', fresh)), 'base64')
}
