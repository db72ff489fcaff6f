import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../../main/contract/operation.ts'
import { askOf, ownedIn } from '../../faces/requests.ts'
import { sideOf, type Side } from '../../faces/sides.ts'
import { builtConsole, signedIn, type Browser } from '../../support/panel.ts'
import { lineOf, OPERATIONS } from '../../support/operations.ts'
import { world, type Reply, type World } from '../../support/world.ts'
import { clientOf, type Client } from './agency-world.ts'

/**
 * An agency and two clients. Whatever belongs to a client is there for that client alone, over every operation: also its
 * agency reaches it only by the routes of the agency, or as a person who has changed to the client's account.
 */
let w: World
let client: Client
let sibling: Client
let theirs: Side
let operator: Browser
beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox' }, consoleFolder: builtConsole() })
  client = await clientOf(w, { slots_allocated: 20 })
  sibling = await clientOf(w, { slots_allocated: 20 })
  theirs = await sideOf(w, client.key, 'Thornwick', '41')
  operator = await signedIn(w)
})
afterAll(() => w.close())
const isOfAgency = ({ path }: Operation) => path.startsWith('/v1/agency')
/** A client buys nothing: its agency pays. */
const namesAnOrder = ({ path }: Operation) => /\{(purchase|checkout)_id\}/.test(path)
const namesSomething = (operation: Operation) =>
  !isOfAgency(operation) &&
  !namesAnOrder(operation) &&
  (operation.reach === 'instance' || ownedIn(operation).length > 0)
const isHidden = ({ status, body }: Reply) => status === 404 && body.error.code === 'not_found'

describe.each(['agency', 'sibling'] as const)('a key of the %s', (who) => {
  const keyOf = () => (who === 'agency' ? w.allScopes : sibling.key)

  test('cannot read or change anything of a client', async () => {
    const before = (await client.api('GET', '/v1/instances?limit=50')).text
    const mark = await w.mark()
    const wrong: string[] = []
    const asked = OPERATIONS.filter(namesSomething)
    for (const operation of asked) {
      const { method, path, body } = askOf(operation, theirs)
      const answer = await w.api(method, path, body, { key: keyOf() })
      if (!isHidden(answer)) wrong.push(`${lineOf(operation)}: ${answer.status} ${answer.text}`)
    }
    expect(wrong).toEqual([])
    expect(asked.length).toBeGreaterThan(60)
    expect(await w.typesSince(mark)).toEqual([])
    expect((await client.api('GET', '/v1/instances?limit=50')).text).toBe(before)
  })

  test('sees nothing of a client in lists, counts or records', async () => {
    // Its own account stands in what it reads of itself.
    const words = theirs.words.filter((word) => word !== '')
    for (const operation of OPERATIONS) {
      if (operation.method !== 'GET' || namesSomething(operation) || isOfAgency(operation) || namesAnOrder(operation))
        continue
      const { path } = operation
      const { text } = await w.api('GET', path, undefined, { key: keyOf() })
      expect(
        words.filter((word) => text.includes(word)),
        lineOf(operation),
      ).toEqual([])
    }
  })
})

test('the operator’s window finds the objects of a client only in the account of that client', async () => {
  const wrong: string[] = []
  for (const operation of OPERATIONS.filter(({ method }) => method === 'GET').filter(namesSomething)) {
    const { path } = askOf(operation, theirs)
    const statusIn = async (at: string) => (await operator.ask('GET', `/panel${at}${path}`)).status
    const [own, inside, beside] = [
      await statusIn(''),
      await statusIn(`/accounts/${client.id}`),
      await statusIn(`/accounts/${sibling.id}`),
    ]
    if (own !== 404 || inside >= 400 || beside !== 404) wrong.push(`${path}: ${own} ${inside} ${beside}`)
  }
  expect(wrong).toEqual([])
})

test('no route for agencies finds a sub-account of another agency', async () => {
  const { key } = await w.stranger()
  const { id: instance } = (await client.api('POST', '/v1/instances', {})).body
  const [own] = (await w.api('GET', `/v1/agency/accounts/${client.id}/keys`)).body.data
  for (const operation of OPERATIONS.filter(isOfAgency)) {
    if (!operation.path.includes('{')) continue
    const path = operation.path.replace('{account_id}', client.id).replace('{key_id}', own.id).replace('{id}', instance)
    const ask = askOf(operation, theirs)
    const query = operation.confirm === undefined ? '' : '?confirm=true'
    const answer = await w.api(operation.method, `${path}${query}`, ask.body, { key })
    expect(isHidden(answer), `${lineOf(operation)}: ${answer.status} ${answer.text}`).toBe(true)
  }
  const usage = await w.api('GET', `/v1/agency/usage?account_id=${client.id}`, undefined, { key })
  expect(isHidden(usage)).toBe(true)
  expect((await w.api('GET', '/v1/agency/accounts', undefined, { key })).body.data).toEqual([])
})
