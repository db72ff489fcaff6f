import { expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { createKeyDerivation } from '../../main/kernel/key-derivation.ts'

const SALT = Buffer.alloc(16)
const COST = 2 ** 12

/** Derivations that say in which order they ended; what was refused ends first. */
function watched() {
  const derivation = createKeyDerivation()
  const ended: string[] = []
  const refusals: ApiError[] = []
  const all: Promise<unknown>[] = []
  const begin = (kind: 'forSignIn' | 'forAccount', owner: string, name = owner) =>
    all.push(
      derivation[kind](owner, 'password', SALT, COST).then(
        () => ended.push(name),
        (error: unknown) => {
          if (error instanceof ApiError) refusals.push(error)
          ended.push(`no ${name}`)
        },
      ),
    )
  return { begin, ended, refusals, over: () => Promise.all(all) }
}

test('a network that floods the sign-in delays another network by one derivation', async () => {
  const { begin, ended, refusals, over } = watched()
  for (let n = 0; n < 100; n++) begin('forSignIn', 'flood')
  begin('forSignIn', 'owner')
  await over()
  // One is under way and five wait.
  expect(refusals).toHaveLength(94)
  expect(refusals[0]).toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '5' } })
  expect(ended.filter((name) => name !== 'no flood')).toEqual(['flood', 'owner', ...Array<string>(5).fill('flood')])
})

test('many networks that flood the sign-in do not lock out people on other networks', async () => {
  const { begin, ended, over } = watched()
  for (let n = 0; n < 40; n++) for (let i = 0; i < 5; i++) begin('forSignIn', `flood ${n}`)
  begin('forSignIn', 'owner')
  await over()
  expect(ended).toContain('owner')
  expect(ended.filter((name) => name === 'no owner')).toEqual([])
  // One is under way, 64 wait, and one of these has given way.
  expect(ended.filter((name) => !name.startsWith('no '))).toHaveLength(65)
})

test('a flood of sign-ins does not delay people who are signed in', async () => {
  const { begin, ended, over } = watched()
  for (let n = 0; n < 60; n++) begin('forSignIn', `flood ${n}`)
  begin('forAccount', 'account')
  await over()
  expect(ended.indexOf('account')).toBeLessThan(10)
})

test('an account that keeps setting passwords delays another account by one derivation', async () => {
  const { begin, ended, refusals, over } = watched()
  for (let n = 0; n < 20; n++) begin('forAccount', 'busy')
  begin('forAccount', 'other')
  await over()
  expect(refusals).toHaveLength(15)
  expect(ended.filter((name) => name !== 'no busy').indexOf('other')).toBe(1)
})

test('a failed derivation does not stop the next', async () => {
  const { forSignIn } = createKeyDerivation()
  const [broken, good] = await Promise.allSettled([
    forSignIn('a', 'password', SALT, 3),
    forSignIn('b', 'password', SALT, COST),
  ])
  expect([broken.status, good.status]).toEqual(['rejected', 'fulfilled'])
})
