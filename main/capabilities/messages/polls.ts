import { ApiError } from '../../contract/errors.ts'
import type { MessageContent } from '../../contract/message-content.ts'
import { isoTime } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { PollRecord } from './contract/chats.ts'
import { pollById, votesOf, type VoteRow } from './store.ts'

/** What somebody has chosen in a poll. */
export interface Vote {
  readonly voter: string
  readonly options: readonly string[]
  readonly atMs: number
}

// Written by inbound.ts.
export const parseVote = ({ voter, options, atMs }: VoteRow): Vote => ({
  ...{ voter, atMs },
  options: JSON.parse(options) as string[],
})

/** Written by inbound.ts and send.ts. */
export const parseContent = (content: string | null): MessageContent | null =>
  content === null ? null : (JSON.parse(content) as MessageContent)

/** @param options in the order of the poll; empty where they are not known, then those that were chosen are shown. */
export function toPoll(question: string, options: readonly string[], votes: readonly Vote[]): PollRecord {
  const counts = new Map(options.map((text) => [text, 0]))
  // A vote that was taken back.
  const cast = votes.filter((vote) => vote.options.length > 0)
  for (const text of cast.flatMap((vote) => vote.options)) counts.set(text, (counts.get(text) ?? 0) + 1)
  return {
    question,
    options: [...counts].map(([text, count]) => ({ text, votes: count })),
    voters: cast.map(({ voter, options: chosen, atMs }) => ({
      number: voter,
      options: [...chosen],
      voted_at: isoTime(atMs),
    })),
  }
}

/** The poll of a message and how it stands. @throws ApiError not_found, also for a message that is no poll or was deleted. */
export function createPollReader(db: Pick<Db, 'read' | 'readOne'>) {
  return async (instanceId: InstanceId, messageId: string): Promise<PollRecord> => {
    const row = await db.readOne(pollById, { id: messageId, instanceId })
    if (row?.type !== 'poll' || row.deletedAtMs !== null) throw notFound()
    const { engineMessageId, text } = row
    const votes = engineMessageId === null ? [] : await db.read(votesOf, { instanceId, engineMessageId })
    const content = parseContent(row.content)
    const options = content?.type === 'poll' ? content.options : []
    return toPoll(text, options, votes.map(parseVote))
  }
}

const notFound = () => new ApiError('not_found', 'This instance has no poll with this message id.')
