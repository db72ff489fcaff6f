import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import { bytesOf, contentOf as contentOfBytes } from '../../kernel/file-content.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { managesChannel, noSuchChannel, notChannelAdmin } from '../channel-rules.ts'
import type { Channel, ChannelKey, ChannelPost, ReceivedFile } from '../direct.ts'
import type { Content } from './inbox.ts'
import { KEPT_BYTES } from './media.ts'
import { defaultName, phoneMessageId } from './network-ids.ts'
import type { Phones } from './phones.ts'
import { toReceivedSignal } from './received-signal.ts'
import type { Sessions } from './sessions.ts'
import { isRegistered } from './simulated-outcomes.ts'
import type { Timeline } from './timeline.ts'

type Follower = { accountId: string; channel: string; number: string }

const follow = sql<Follower>(
  `INSERT INTO sandbox_channel_followers (account_id, channel, number) VALUES (:accountId, :channel, :number)
   ON CONFLICT (account_id, channel, number) DO NOTHING`,
)
const unfollow = sql<Follower>(
  'DELETE FROM sandbox_channel_followers WHERE account_id = :accountId AND channel = :channel AND number = :number',
)
const followedBy = sql<{ accountId: string; number: string; limit: number }, { channel: string }>(
  `SELECT channel FROM sandbox_channel_followers WHERE account_id = :accountId AND number = :number
   ORDER BY channel LIMIT :limit`,
)
const followersOf = sql<{ accountId: string; channel: string; limit: number }, { number: string }>(
  `SELECT number FROM sandbox_channel_followers WHERE account_id = :accountId AND channel = :channel
   ORDER BY number LIMIT :limit`,
)

const keepFile = sql<{ postId: string; accountId: string; channel: string; mimeType: string; bytes: Uint8Array }>(
  `INSERT INTO sandbox_channel_files (post_id, account_id, channel, mime_type, bytes)
   VALUES (:postId, :accountId, :channel, :mimeType, :bytes)`,
)
/** Ids of posts rise with time. */
const pruneFiles = sql<{ accountId: string; most: number }>(
  `DELETE FROM sandbox_channel_files WHERE account_id = :accountId AND post_id < (
     SELECT min(post_id) FROM (SELECT post_id FROM sandbox_channel_files WHERE account_id = :accountId
                               ORDER BY post_id DESC LIMIT :most) AS newest)`,
)
const fileOfPost = sql<{ accountId: string; postId: string }, { channel: string; mimeType: string; bytes: Uint8Array }>(
  `SELECT channel, mime_type AS mimeType, bytes FROM sandbox_channel_files
   WHERE post_id = :postId AND account_id = :accountId`,
)

const MAX_LISTED = 500
/** Limit per account; older posts lose their file. */
const KEPT_FILES = 50
const LINK = 'https://channel.sandbox/'

interface Known {
  readonly id: string
  readonly invite: string
  readonly name: string
  readonly description: string | null
  /** The number that owns the channel; null for the public channels. */
  readonly owner: string | null
  /** Followers in addition to the stored ones. */
  readonly followers: number
}

/** Channels that every account can find. */
const PUBLIC: readonly Known[] = [
  ['News', 'Sandbox news', 'What happens on the sandbox network.', 1_204],
  ['Recipes', 'Sandbox recipes', 'A recipe for every day.', 318],
  ['Town', 'Sandbox town hall', null, 57],
].map(([code, name, description, followers]) => ({
  ...{ id: `SANDBOX${String(code).toUpperCase()}@newsletter`, invite: `Sandbox${String(code)}`, owner: null },
  ...{ name: String(name), description: description as string | null, followers: Number(followers) },
}))

const OWN_ID = /^SANDBOX(\d{7,15})@newsletter$/
const OWN_INVITE = /^SandboxOf(\d{7,15})$/

function contentOf(post: ChannelPost): Content {
  if ('text' in post) return { type: 'text', text: post.text }
  const { mediaType, mimeType, content, caption } = post
  return { type: mediaType, text: null, media: { mimeType, size: content.size, filename: null, caption } }
}

interface ChannelsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly phones: Pick<Phones, 'find'>
  readonly sessions: Pick<Sessions, 'withNumber'>
  readonly timeline: Pick<Timeline, 'schedule'>
}

export type Channels = ReturnType<typeof createChannels>

/** Channels of the network: a few public ones, and at most one owned by each number. */
export function createChannels({ db, clock, random, phones, sessions, timeline }: ChannelsDeps) {
  async function known(accountId: AccountId, key: ChannelKey): Promise<Known> {
    const found = PUBLIC.find(({ id, invite }) => ('id' in key ? key.id === id : key.invite === invite))
    if (found !== undefined) return found
    const owner = ('id' in key ? OWN_ID.exec(key.id) : OWN_INVITE.exec(key.invite))?.[1]
    if (owner === undefined || !isRegistered(owner)) throw noSuchChannel()
    const name = (await phones.find(accountId, owner)).name ?? defaultName(owner)
    return {
      ...{ id: `SANDBOX${owner}@newsletter`, invite: `SandboxOf${owner}`, name: `Channel of ${name}`, owner },
      ...{ description: null, followers: 1 },
    }
  }

  async function toChannel(accountId: AccountId, number: string, channel: Known): Promise<Channel> {
    const { id, name, description, owner, followers: others, invite } = channel
    const rows = await db.read(followersOf, { accountId, channel: id, limit: MAX_LISTED })
    const isFollower = rows.some((row) => row.number === number)
    const role = owner === number ? 'owner' : isFollower ? 'follower' : 'guest'
    return { id, name, description, role, followers: others + rows.length, link: LINK + invite }
  }

  /** Followers whose numbers belong to instances receive the post. */
  async function publish(tx: Tx, accountId: AccountId, channel: string, id: string, content: Content): Promise<void> {
    const post = { id, author: channel, pushName: null, recipient: channel, group: channel }
    const now = clock.now()
    const signal = { ...toReceivedSignal({ ...post, content }, channel, false, now), participant: null }
    const followers = await tx.all(followersOf, { accountId, channel, limit: MAX_LISTED })
    for (const instanceId of followers.flatMap(({ number }) => sessions.withNumber(accountId, number))) {
      const place = { lane: `${instanceId} ${channel}`, step: 0, due: dueIn(clock, 0), phone: null, offsetMs: 0 }
      await timeline.schedule(tx, { instanceId, ...place, signal })
    }
  }

  const channels = {
    /** The channels that the number follows, its own first. */
    async list(accountId: AccountId, number: string): Promise<Channel[]> {
      const rows = await db.read(followedBy, { accountId, number, limit: MAX_LISTED })
      const ids = [`SANDBOX${number}@newsletter`, ...rows.map(({ channel }) => channel)]
      const found: Channel[] = []
      for (const id of ids) found.push(await toChannel(accountId, number, await known(accountId, { id })))
      return found
    },
    async find(accountId: AccountId, number: string, key: ChannelKey): Promise<Channel> {
      return toChannel(accountId, number, await known(accountId, key))
    },
    async follow(accountId: AccountId, number: string, key: ChannelKey): Promise<Channel> {
      const { id, role } = await channels.find(accountId, number, key)
      if (role === 'guest') await db.commit((tx) => tx.run(follow, { accountId, channel: id, number }))
      return channels.find(accountId, number, { id })
    },
    async unfollow(accountId: AccountId, number: string, id: string): Promise<void> {
      const { role } = await channels.find(accountId, number, { id })
      if (role === 'owner') throw managesChannel()
      await db.commit((tx) => tx.run(unfollow, { accountId, channel: id, number }))
    },
    /** @returns the id of the post. */
    async post(accountId: AccountId, number: string, id: string, post: ChannelPost): Promise<string> {
      const { role } = await channels.find(accountId, number, { id })
      if (role !== 'owner') throw notChannelAdmin()
      const postId = phoneMessageId(clock.now(), random)
      const file = 'text' in post ? null : { mimeType: post.mimeType, bytes: await bytesOf(post.content) }
      await db.commit(async (tx) => {
        if (file !== null && file.bytes.length <= KEPT_BYTES) {
          await tx.run(keepFile, { postId, accountId, channel: id, ...file })
          await tx.run(pruneFiles, { accountId, most: KEPT_FILES })
        }
        await publish(tx, accountId, id, postId, contentOf(post))
      })
      return postId
    },
    /** The file of a post, for the owner and the followers of the channel. */
    async file(accountId: AccountId, number: string, postId: string): Promise<ReceivedFile | null> {
      const found = await db.readOne(fileOfPost, { accountId, postId })
      if (found === undefined) return null
      const { channel: id, mimeType, bytes } = found
      const { role } = await channels.find(accountId, number, { id })
      return role === 'guest' ? null : { mimeType, filename: null, content: contentOfBytes(Buffer.from(bytes)) }
    },
  }
  return channels
}
