import { createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
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
type Kind = keyof typeof KINDS

interface Target {
  readonly id: string
  readonly accountId: AccountId
}

export type SignedLinks = ReturnType<typeof createSignedLinks>

/** Signs links and checks them. They expire, or end together with the access of somebody who could have made them. */
export function createSignedLinks({ db, clock, random }: LinksDeps) {
  let key: Promise<Buffer> | undefined
  const secret = () => (key ??= linkKey(db, random))
  // In memory: a restart ends none, and they live for minutes.
  const endings = new Map<AccountId, number>()

  const sign = async (kind: Kind, { id, accountId }: Target, expires: number): Promise<string> =>
    createHmac('sha256', await secret())
      .update(`${kind}\n${id}\n${expires}\n${endings.get(accountId) ?? 0}`)
      .digest('base64url')

  return {
    async to(kind: Kind, target: Target): Promise<{ expires: number; signature: string }> {
      const expires = Math.floor(clock.now() / 1_000) + KINDS[kind]
      return { expires, signature: await sign(kind, target, expires) }
    },
    async isValid(kind: Kind, target: Target, expires: string, signature: string): Promise<boolean> {
      if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 <= clock.now()) return false
      const [mine, theirs] = [Buffer.from(await sign(kind, target, Number(expires))), Buffer.from(signature)]
      return mine.length === theirs.length && timingSafeEqual(mine, theirs)
    },
    /** Links of the account stop opening; whoever still has access gets new ones. */
    endOf: (accountId: AccountId) => void endings.set(accountId, (endings.get(accountId) ?? 0) + 1),
  }
}

/** It guards against guessing, not against reading, so it is kept in the open part of the database. */
async function linkKey(db: Db, random: Random): Promise<Buffer> {
  const fresh = random.bytes(32).toString('base64')
  return Buffer.from(await db.commit((tx) => insertMeta(tx, 'voice_link_key', fresh)), 'base64')
}
