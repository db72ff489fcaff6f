import { getAggregateVotesInPollMessage, proto, decryptPollVote, type WAMessage } from 'baileys'
import { expect, test } from 'vitest'
import { linked, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const SHOP_JID = `${SHOP}@s.whatsapp.net`
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`

test('a phone votes in a poll, changes its mind and takes the vote back; whoever has the poll can read it', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const poll = await client.socket.sendMessage(ANA_JID, { poll: { name: 'When?', values: ['Today', 'Tomorrow'] } })
  const pollId = poll?.key.id ?? ''
  await expect.poll(() => ana.received()).toMatchObject([{ id: pollId, type: 'poll' }])

  for (const choices of [['Today'], ['Today', 'Tomorrow'], []]) await ana.vote(pollId, choices)
  await expect.poll(() => votesIn(client.messages())).toHaveLength(3)
  const votes = votesIn(client.messages())
  expect(votes.map(({ message }) => message?.pollUpdateMessage?.pollCreationMessageKey?.id)).toEqual(
    Array(3).fill(pollId),
  )
  const results = votes.map((vote) => namesChosen(poll!, vote))
  expect(results).toEqual([['Today'], ['Today', 'Tomorrow'], []])
  await expect(ana.vote(pollId, ['Never'])).rejects.toThrow('no option Never')
  await expect(ana.vote(await ana.say(SHOP, 'No poll'), [])).rejects.toThrow('no poll')
})

const votesIn = (messages: readonly WAMessage[]) => messages.filter(({ message }) => message?.pollUpdateMessage)

/** The chosen options as the library reads them. */
function namesChosen(poll: WAMessage, { key, message }: WAMessage): string[] {
  const vote = decryptPollVote(message?.pollUpdateMessage?.vote ?? {}, {
    pollCreatorJid: SHOP_JID,
    pollMsgId: poll.key.id ?? '',
    pollEncKey: poll.message?.messageContextInfo?.messageSecret ?? new Uint8Array(),
    voterJid: ANA_JID,
  })
  const pollUpdates = [{ pollUpdateMessageKey: key, vote: proto.Message.PollVoteMessage.fromObject(vote) }]
  return getAggregateVotesInPollMessage({ message: poll.message ?? null, pollUpdates }, SHOP_JID)
    .filter(({ voters }) => voters.length > 0)
    .map(({ name }) => name)
}
