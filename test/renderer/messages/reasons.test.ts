import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { messagesContract } from '../../../main/capabilities/messages/contract.ts'
import { accountFrozen } from '../../../main/contract/account-refusals.ts'
import { MessageErrorShape } from '../../../main/contract/shapes.ts'
import { readProblem } from '../../../renderer/app/problem.ts'
import { reasonOf, reasonOfProblem, REASON_CODES } from '../../../renderer/rooms/messages/reasons.ts'

const wordsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../renderer/locales/${language}/messages.json`, import.meta.url), 'utf8'))
    .reason

describe('why a message was not sent', () => {
  test.each(MessageErrorShape.properties.code.enum)('the network’s “%s” is explained, with what to do', (code) => {
    expect(reasonOf({ status: 'failed', error: { code, message: '' } })?.code).toBe(code)
  })

  test.each(messagesContract.sendMessage.errors)('the answer “%s” to a send is explained', (code) => {
    expect(reasonOfProblem({ code, isRetryable: false }).code).toBe(code)
  })

  test('a frozen account is told from a message that cannot be quoted', async () => {
    const frozen = accountFrozen('this call was not carried out', 'Pay the open invoice in Billing.')
    const answerOf = (message: string) =>
      readProblem(Response.json({ error: { code: 'invalid_state', message } }, { status: 409 }))
    expect(reasonOfProblem(await answerOf(frozen.message))).toEqual({ code: 'account_frozen', remedy: 'retry' })
    expect(reasonOfProblem(await answerOf('This message cannot be quoted.')).code).toBe('invalid_state')
  })

  test.each(['en', 'pt-BR', 'es'])('every reason has its sentence in %s, and no other has', (language) => {
    expect(Object.keys(wordsOf(language)).toSorted()).toEqual([...REASON_CODES].toSorted())
  })

  test('a message that did not fail has no reason', () => {
    expect(reasonOf({ status: 'read', error: null })).toBeUndefined()
  })

  test('what is not known is not explained away: it may be tried again if the service says so', () => {
    expect(reasonOf({ status: 'failed', error: { code: 'new_one', message: '' } })).toEqual({
      code: 'unknown',
      remedy: 'none',
    })
    expect(reasonOfProblem({ code: 'internal_error', isRetryable: true })).toEqual({ code: 'unknown', remedy: 'retry' })
    expect(reasonOfProblem({ code: 'not_found', isRetryable: false })).toEqual({ code: 'unknown', remedy: 'edit' })
  })
})
