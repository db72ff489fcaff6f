import { createHash } from 'node:crypto'
import { proto } from 'baileys'
import { sealAbout } from './message-secret.ts'
import type { Known } from './speech.ts'

/**
 * Creates a vote in a poll, encrypted with the secret of the poll. Everyone who has the poll can read it, but the
 * server cannot. Each vote replaces the previous one; a vote without choices withdraws it.
 * @param voter the voter's address within the chat.
 * @throws if the message is not a poll, or has no such option.
 */
export function vote(poll: Known, voter: string, choices: readonly string[]): proto.IMessage {
  const id = poll.key.id ?? ''
  const secret = poll.content.messageContextInfo?.messageSecret
  const options = optionsOf(poll.content)
  if (!secret || options === undefined) throw new Error(`${id} is no poll one can vote in`)
  const unknown = choices.find((choice) => !options.includes(choice))
  if (unknown !== undefined) throw new Error(`the poll has no option ${unknown}`)
  const selectedOptions = choices.map((choice) => createHash('sha256').update(choice).digest())
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: poll.key,
      vote: sealAbout(poll, { by: voter, author: poll.author, use: 'Poll Vote' }, plain, `${id}\0${voter}`),
      senderTimestampMs: Date.now(),
    },
  }
}

function optionsOf(content: proto.IMessage): (string | null | undefined)[] | undefined {
  const poll = content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3
  return poll?.options?.map(({ optionName }) => optionName)
}
