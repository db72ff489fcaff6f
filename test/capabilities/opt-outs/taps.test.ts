import { expect, test } from 'vitest'
import type { MessageContent } from '../../../main/contract/message-content.ts'
import { createOptOuts } from '../../../main/capabilities/opt-outs/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { createSubscribers, type LedgerEvent } from '../../../main/kernel/ledger.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'

const ACCOUNT = 'account' as AccountId

/** What messages leave behind. @param content null: it was written, and not tapped. */
async function optOutsAfterAll(
  said: readonly (readonly [text: string, content: MessageContent | null])[],
  buttons: string[] = [],
) {
  const clock = fakeClock()
  const { db } = await testDatabase(undefined, { clock })
  const subscribers = createSubscribers()
  const optOuts = createOptOuts({
    ...{ db, clock, ledger: { inCommit: subscribers.add } },
    ...{ live: { publish: () => {} }, instances: { subscribe: () => {}, owned: async () => undefined } },
  })
  await optOuts.settings.update(ACCOUNT, { buttons })
  for (const [at, [text, content]] of said.entries()) {
    const event = {
      ...{ type: 'message.received', accountId: ACCOUNT, instanceId: 'shop' },
      data: {
        ...{ message_id: `msg_${at + 1}`, chat: '12025550177', from: '12025550177', from_me: false, is_group: false },
        ...{ type: 'text', text, content },
      },
    } as unknown as LedgerEvent
    await db.commit((tx) => subscribers.run(tx, event))
  }
  return optOuts.page(ACCOUNT, { beforeSeq: Number.MAX_SAFE_INTEGER, rows: 10 })
}

const optOutsAfter = (text: string, content: MessageContent | null, buttons?: string[]) =>
  optOutsAfterAll([[text, content]], buttons)

test('a written stop word opts out', async () => {
  expect(await optOutsAfter('Sair', null)).toMatchObject([
    { source: 'keyword', note: 'Sair', messageId: 'msg_1', messageInstance: 'shop' },
  ])
})

test.each<[string, MessageContent]>([
  ['a button', { type: 'button_reply', id: '1', title: 'Sair' }],
  ['a row of a list', { type: 'list_reply', id: '1', title: 'Sair', description: null }],
  ['a form', { type: 'flow_reply', id: '1', title: 'Sair', name: null, response: null }],
])('%s with a stop word as its title does not opt out, because it may be a menu choice', async (_what, content) => {
  expect(await optOutsAfter('Sair', content)).toEqual([])
})

test('Meta’s own button under marketing messages opts out', async () => {
  const content = { type: 'button_reply', id: null, title: 'Stop promotions' } as const
  expect(await optOutsAfter('Stop promotions', content)).toMatchObject([{ source: 'button', messageId: 'msg_1' }])
})

test.each<[string, MessageContent]>([
  ['a button by its title', { type: 'button_reply', id: '1', title: 'Não quero mais!' }],
  ['a row of a list by its id', { type: 'list_reply', id: 'no-offers', title: 'Outros', description: null }],
])('%s opts out if the account has defined it as an opt-out button', async (_what, content) => {
  const declared = ['NAO QUERO MAIS', 'no_offers']
  expect(await optOutsAfter(content.type, content, declared)).toMatchObject([{ source: 'button' }])
  expect(await optOutsAfter(content.type, content)).toEqual([])
})

test('a start word removes an opt-out by a written word, but not one by a button', async () => {
  const button = { type: 'button_reply', id: null, title: 'Stop promotions' } as const
  const start = ['Quero receber', null] as const
  expect(await optOutsAfterAll([['Sair', null], start])).toEqual([])
  expect(await optOutsAfterAll([['Stop promotions', button], start])).toMatchObject([{ source: 'button' }])
})

test('a form never opts out, even with a defined opt-out word', async () => {
  const content = { type: 'flow_reply', id: '1', title: 'Sair', name: null, response: null } as MessageContent
  expect(await optOutsAfter('Sair', content, ['Sair'])).toEqual([])
})
