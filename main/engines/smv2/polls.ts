import { createHash } from 'node:crypto'
import type { proto, SignalKeyStore } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { hiddenJid, numberJid } from './jid.ts'
import type { Library } from './library.ts'
import { contentOf } from './parse-content.ts'
import type { SealedContent } from './parse-message.ts'
import type { PersonName } from './people.ts'
import type { DecryptedMessage } from './repository.ts'
import { insertPoll, insertWaitingVote, pollByEngineId, removeWaitingVote, waitingVotes } from './store.ts'
import { secretOf, unwrap } from './unwrap.ts'

/** What it takes to read the votes of a poll. */
export interface Poll {
  /** base64 */
  readonly secret: string
  readonly options: readonly string[]
  /** null: this instance made it. */
  readonly creator: PersonName | null
}

interface WaitingVote {
  readonly seq: number
  readonly digest: string
  readonly message: DecryptedMessage
}

export interface Polls {
  /** Does nothing for a message that is no poll. */
  keep(
    tx: Tx,
    library: Library,
    id: InstanceId,
    engineId: string,
    message: proto.IMessage,
    creator: PersonName | null,
  ): Promise<void>
  find(id: InstanceId, engineId: string): Promise<Poll | undefined>
  /** Keeps a vote until its poll arrives. */
  wait(id: InstanceId, engineId: string, digest: string, vote: DecryptedMessage): Promise<void>
  /** Votes that arrived before this poll, oldest first. */
  waiting(id: InstanceId, engineId: string): Promise<readonly WaitingVote[]>
  forget(vote: WaitingVote): Promise<void>
}

interface PollsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly seal: Seal
}

/** Votes are encrypted with a secret that only the poll itself has, and they may come long after it, or before. */
export function createPolls({ db, clock, seal }: PollsDeps): Polls {
  const pollOwner = (id: InstanceId, engineId: string) => `smv2:${id}:poll:${engineId}`
  const voteOwner = (id: InstanceId, digest: string) => `smv2:${id}:vote:${digest}`
  const sealed = (value: object, owner: string) => seal.seal(Buffer.from(JSON.stringify(value)), owner)

  return {
    async keep(tx, library, instanceId, engineId, message, creator) {
      const poll = pollOf(library, message, creator)
      if (poll === undefined) return
      const row = { instanceId, engineId, sealed: sealed(poll, pollOwner(instanceId, engineId)), now: clock.now() }
      await tx.run(insertPoll, { seq: await tx.next('smv2'), ...row })
    },
    async find(instanceId, engineId) {
      const row = await db.readOne(pollByEngineId, { instanceId, engineId })
      // Written in this form by `keep`.
      return row && (JSON.parse(seal.openBytes(row.sealed, pollOwner(instanceId, engineId)).toString()) as Poll)
    },
    async wait(instanceId, engineId, digest, vote) {
      const row = {
        instanceId,
        engineId,
        digest,
        sealed: sealed(vote, voteOwner(instanceId, digest)),
        now: clock.now(),
      }
      await db.commit(async (tx) => {
        await tx.run(insertWaitingVote, { seq: await tx.next('smv2'), ...row })
      })
    },
    async waiting(instanceId, engineId) {
      const rows = await db.read(waitingVotes, { instanceId, engineId, limit: VOTES_AT_ONCE })
      return rows.map(({ seq, digest, sealed: bytes }) => ({
        ...{ seq, digest },
        // Written in this form by `wait`.
        message: JSON.parse(seal.openBytes(bytes, voteOwner(instanceId, digest)).toString()) as DecryptedMessage,
      }))
    },
    async forget({ seq }) {
      await db.commit((tx) => tx.run(removeWaitingVote, { seq }))
    },
  }
}

/** A group has at most 1,024 members, and each may vote more than once. */
const VOTES_AT_ONCE = 2_000

/** @returns undefined for what is no poll, and for one nobody can vote in. */
export function pollOf(library: Library, message: proto.IMessage, creator: PersonName | null): Poll | undefined {
  const { content } = unwrap(library, message)
  const poll = content && contentOf(content)
  const secret = secretOf(message)
  if (poll?.type !== 'poll' || secret === undefined) return undefined
  return { secret: Buffer.from(secret).toString('base64'), options: poll.options, creator }
}

/**
 * The options of a vote. The network may name people by number or by hidden id, and the vote is sealed for one of them:
 * which one depends on the chat and on the versions of the phones, so all are tried.
 * @returns undefined when none fits, as with a forged vote.
 */
export function readVote(
  { decryptPollVote }: Library,
  poll: Poll,
  pollMsgId: string,
  { payload: encPayload, iv: encIv }: SealedContent,
  { creators, voters }: { readonly creators: readonly string[]; readonly voters: readonly string[] },
): string[] | undefined {
  const pollEncKey = Buffer.from(poll.secret, 'base64')
  for (const pollCreatorJid of creators) {
    for (const voterJid of voters) {
      try {
        const known = { pollEncKey, pollMsgId, pollCreatorJid, voterJid }
        const { selectedOptions } = decryptPollVote({ encPayload, encIv }, known)
        const chosen = new Set(selectedOptions.map((hash) => Buffer.from(hash).toString('hex')))
        return poll.options.filter((option) => chosen.has(createHash('sha256').update(option).digest('hex')))
      } catch {
        // Sealed for another pair of addresses.
      }
    }
  }
  return undefined
}

/** Every address that somebody is known by. */
export async function addressesOf(keys: SignalKeyStore, { number, hiddenId }: PersonName): Promise<string[]> {
  const reverse = `${hiddenId ?? ''}_reverse`
  const asked = [...(number === null ? [] : [number]), ...(hiddenId === null ? [] : [reverse])]
  const mapped = await keys.get('lid-mapping', asked)
  const numbers = [number, hiddenId === null ? null : mapped[reverse]]
  const hidden = [hiddenId, number === null ? null : mapped[number]]
  const jids = [...numbers.map((each) => each && numberJid(each)), ...hidden.map((each) => each && hiddenJid(each))]
  return [...new Set(jids.filter((jid): jid is string => !!jid))]
}
