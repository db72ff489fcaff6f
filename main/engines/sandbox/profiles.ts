import { hash } from 'node:crypto'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { Privacy } from '../direct.ts'

type Named = { accountId: string; number: string }
type Subject = { accountId: string; subject: string }

const profileOf = sql<Named, { about: string | null; privacy: string }>(
  'SELECT about, privacy FROM sandbox_profiles WHERE account_id = :accountId AND number = :number',
)
const saveAbout = sql<Named & { about: string }>(
  `INSERT INTO sandbox_profiles (account_id, number, about, privacy) VALUES (:accountId, :number, :about, '{}')
   ON CONFLICT (account_id, number) DO UPDATE SET about = excluded.about`,
)
const savePrivacy = sql<Named & { privacy: string }>(
  `INSERT INTO sandbox_profiles (account_id, number, about, privacy) VALUES (:accountId, :number, NULL, :privacy)
   ON CONFLICT (account_id, number) DO UPDATE SET privacy = excluded.privacy`,
)
const pictureOf = sql<Subject, { hash: string }>(
  'SELECT hash FROM sandbox_pictures WHERE account_id = :accountId AND subject = :subject',
)
const pictureWith = sql<{ accountId: string; hash: string }, { bytes: Uint8Array }>(
  'SELECT bytes FROM sandbox_pictures WHERE account_id = :accountId AND hash = :hash ORDER BY subject LIMIT 1',
)
const savePicture = sql<Subject & { hash: string; bytes: Buffer }>(
  `INSERT INTO sandbox_pictures (account_id, subject, hash, bytes) VALUES (:accountId, :subject, :hash, :bytes)
   ON CONFLICT (account_id, subject) DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes`,
)

/** Sandbox phones always report all settings. */
type Shown = { readonly [Setting in keyof Privacy]: NonNullable<Privacy[Setting]> }

/** The settings of a new account. */
const DEFAULTS: Shown = {
  lastSeen: 'everyone',
  online: 'everyone',
  picture: 'everyone',
  about: 'everyone',
  readReceipts: 'everyone',
  groups: 'everyone',
  calls: 'everyone',
}

const DEFAULT_ABOUT = 'On the sandbox network'

interface Profile {
  readonly about: string
  readonly privacy: Shown
}

export type Profiles = ReturnType<typeof createProfiles>

/** The profiles of numbers. A number that was never changed has the default profile. */
export function createProfiles(db: Db) {
  const toProfile = (row: { about: string | null; privacy: string } | undefined): Profile => ({
    about: row?.about ?? DEFAULT_ABOUT,
    // JSON that this code wrote.
    privacy: { ...DEFAULTS, ...(JSON.parse(row?.privacy ?? '{}') as Partial<Shown>) },
  })

  const profiles = {
    read: async (accountId: AccountId, number: string): Promise<Profile> =>
      toProfile(await db.readOne(profileOf, { accountId, number })),
    /** The profile as other people see it; settings hidden from everybody are null. */
    async seen(accountId: AccountId, number: string): Promise<{ about: string | null; hasPicture: boolean }> {
      const { about, privacy } = await profiles.read(accountId, number)
      return { about: privacy.about === 'nobody' ? null : about, hasPicture: privacy.picture !== 'nobody' }
    },
    async setAbout(accountId: AccountId, number: string, about: string): Promise<void> {
      await db.commit((tx) => tx.run(saveAbout, { accountId, number, about }))
    },
    setPrivacy: (accountId: AccountId, number: string, changes: Partial<Privacy>): Promise<Privacy> =>
      db.commit(async (tx) => {
        const { privacy } = toProfile(await tx.one(profileOf, { accountId, number }))
        const changed = { ...privacy, ...changes }
        await tx.run(savePrivacy, { accountId, number, privacy: JSON.stringify(changed) })
        return changed
      }),
    /** @param subject a number, or the id of a group. */
    async setPicture(tx: Tx, accountId: AccountId, subject: string, bytes: Buffer): Promise<void> {
      await tx.run(savePicture, { accountId, subject, hash: hash('sha256', bytes, 'hex'), bytes })
    },
    /** The name of the picture at `media.sandbox`; null: none was set. */
    async pictureName(accountId: AccountId, subject: string): Promise<string | null> {
      const found = await db.readOne(pictureOf, { accountId, subject })
      return found === undefined ? null : `${PICTURES}${found.hash}.jpg`
    },
  }
  return profiles
}

const PICTURES = 'pictures/'
const PICTURE = /^pictures\/([0-9a-f]{64})\.jpg$/

/** @returns the picture with this name; undefined if no number or group uses it any longer. */
export async function readPicture(db: Db, accountId: AccountId, name: string): Promise<Buffer | undefined> {
  const found = PICTURE.exec(name)?.[1]
  const row = found === undefined ? undefined : await db.readOne(pictureWith, { accountId, hash: found })
  return row && Buffer.from(row.bytes)
}
