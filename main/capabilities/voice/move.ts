import type { Notice } from '../../contract/notice.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { spellingsOf } from '../../kernel/phone-number.ts'
import { redirectWaiting } from './call-store.ts'

const DIGITS = /^\d+$/

/** Future calls go to the person's new number. Past calls keep the number they went to. */
export const createMove =
  ({ live }: { readonly live: Pick<NoticeBus<Notice>, 'publish'> }): MovePerson =>
  async (tx, { accountId, instanceId, from, to, isNewNumber }) => {
    if (!isNewNumber || !DIGITS.test(to)) return
    const [number, other] = spellingsOf(from)
    if ((await tx.run(redirectWaiting, { instanceId, number, other, to })) === 0) return
    tx.afterCommit(() => live.publish(accountId, { topic: 'voice' }))
  }
