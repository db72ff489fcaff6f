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

/** What a signed link opens. The name is part of what is signed: a link of one kind is no link of another. */
const KINDS = {
  /** A recording. It needs no key: an audio element follows it. */
  rec: LIMITS.voiceLinkSeconds,
  /** The test page of a widget. */
  'widget-test': 1_800,
} as const

/** Signs links to what has this id, and checks them. They expire. */
export function createLinks({ db, clock, random }: LinksDeps, kind: keyof typeof KINDS) {
  let key: Promise<Buffer> | undefined
  const secret = () => (key ??= linkKey(db, random))

  const sign = async (id: string, expires: number): Promise<string> =>
    createHmac('sha256', await secret())
      .update(`${kind}\n${id}\n${expires}`)
      .digest('base64url')

  return {
    async to(id: string): Promise<{ expires: number; signature: string }> {
      const expires = Math.floor(clock.now() / 1_000) + KINDS[kind]
      return { expires, signature: await sign(id, expires) }
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
