import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { accountFrozen } from '../../../main/contract/account-refusals.ts'
import { consoleErrorBody } from '../../../main/contract/errors.ts'
import { MessageErrorShape } from '../../../main/contract/shapes.ts'
import { readProblem } from '../../../renderer/app/problem.ts'
import { reasonOf, remedyOfProblem, REASON_CODES } from '../../../renderer/rooms/messages/reasons.ts'

const wordsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../renderer/locales/${language}/messages.json`, import.meta.url), 'utf8'))
    .reason

describe('why a message was not sent', () => {
  test.each(MessageErrorShape.properties.code.enum)('explains the network’s “%s” and what to do', (code) => {
    expect(reasonOf({ status: 'failed', error: { code, message: '' } })?.code).toBe(code)
  })

  test('distinguishes a frozen account from other states', async () => {
    const frozen = accountFrozen('this call was not carried out', 'Pay the open invoice in Billing.')
    const answer = Response.json(consoleErrorBody(frozen, 'req_1'), { status: frozen.status })
    const problem = await readProblem(answer, 'sendMessage')
    expect(problem).toMatchObject({ code: 'account_frozen', operation: 'sendMessage' })
    expect(remedyOfProblem(problem)).toBe('retry')
  })

  test.each(['en', 'pt-BR', 'es'])('exactly these reasons have a sentence in %s', (language) => {
    expect(Object.keys(wordsOf(language)).toSorted()).toEqual([...REASON_CODES].toSorted())
  })

  test('a message that did not fail has no reason', () => {
    expect(reasonOf({ status: 'read', error: null })).toBeUndefined()
  })

  test('an unknown error is retryable only if the service says so', () => {
    expect(reasonOf({ status: 'failed', error: { code: 'new_one', message: '' } })).toEqual({
      code: 'unknown',
      remedy: 'none',
    })
    expect(remedyOfProblem({ code: 'internal_error', isRetryable: true })).toBe('retry')
    expect(remedyOfProblem({ code: 'not_found', isRetryable: false })).toBe('edit')
  })
})
