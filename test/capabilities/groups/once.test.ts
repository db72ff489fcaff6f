import { cpSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { Engine } from '../../../main/engines/engine.ts'
import { newHome } from '../../support/restores.ts'
import { world, type World } from '../../support/world.ts'

/** A group, a community, a post and a label are made once, however often a request comes with its Idempotency-Key. */
const [OURS, FOLLOWER, ANA] = ['12025550310', '12025550390', '12025550301']
let worlds: World[] = []
afterEach(async () => {
  for (const w of worlds) await w.close()
  worlds = []
})

/** The answer of an engine that has done what it was asked to do: it arrives, is lost, or comes later. */
type Fate = 'arrives' | 'is lost' | Promise<undefined>
const MAKING = ['createGroup', 'createCommunity', 'postToChannel', 'saveLabel'] as const

function engineWith(fate: () => Fate): (engine: Engine) => Engine {
  const spoil =
    (act: (...asked: never[]) => Promise<unknown>) =>
    async (...asked: never[]) => {
      const answer = await act(...asked)
      if (fate() === 'is lost') throw new Error('The connection was lost.')
      await fate()
      return answer
    }
  return (engine) => {
    const direct: Record<string, unknown> = { ...engine.direct }
    for (const name of MAKING) if (direct[name]) direct[name] = spoil(direct[name] as DirectActs['createGroup'])
    return { ...engine, direct: direct }
  }
}

async function scene(fate: () => Fate = () => 'arrives') {
  const w = await world({ home: newHome(), observeEngine: engineWith(fate) })
  worlds.push(w)
  const { id } = await w.pair(OURS)
  const other = await w.pair(FOLLOWER)
  const channel_id = `SANDBOX${OURS}@newsletter`
  await w.api('POST', `/v1/instances/${other.id}/engine/smv2/channel/follow`, { channel_id })
  return { w, making: makingOf(id, channel_id) }
}

interface Making {
  readonly path: string
  readonly body: object
  readonly other: object
  /** How many there are. */
  count(w: World): Promise<number>
}

function makingOf(id: string, channel_id: string): Readonly<Record<string, Making>> {
  const at = `/v1/instances/${id}`
  const named = async (w: World, kind: string) =>
    (await w.api('GET', `${at}/groups?kind=${kind}&q=Village`)).body.data.length as number
  return {
    'a group': {
      ...{ path: `${at}/groups`, body: { subject: 'Village', participants: [ANA] }, other: { subject: 'Port' } },
      count: (w) => named(w, 'group'),
    },
    'a group of the engine': {
      ...{ path: `${at}/engine/smv2/group/create`, body: { name: 'Village', participants: [ANA] } },
      ...{ other: { name: 'Port', participants: [ANA] }, count: (w) => named(w, 'group') },
    },
    'a community': {
      ...{ path: `${at}/engine/smv2/community/create`, body: { name: 'Village' }, other: { name: 'Port' } },
      count: (w) => named(w, 'community'),
    },
    'a post': {
      ...{ path: `${at}/engine/smv2/channel/post`, body: { channel_id, text: 'Village' } },
      other: { channel_id, text: 'Port' },
      count: async (w) =>
        (await w.rows<{ n: number }>("SELECT COUNT(*) AS n FROM events WHERE type = 'message.received'"))[0]?.n ?? 0,
    },
    'a label': {
      ...{
        path: `${at}/engine/smv2/label/save`,
        body: { name: 'Village', color: 1 },
        other: { name: 'Port', color: 1 },
      },
      count: async (w) => (await w.api('POST', `${at}/engine/smv2/label/list`)).body.result.labels.length,
    },
  }
}

const NAMES = ['a group', 'a group of the engine', 'a community', 'a post', 'a label']
const key = { headers: { 'idempotency-key': 'one' } }
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.error?.code]

describe.each(NAMES)('creating %s with an Idempotency-Key', (name) => {
  const makingIn = (all: Readonly<Record<string, Making>>) => all[name] as Making

  test('happens once; a repeat gets the same answer, and another body conflicts', async () => {
    const { w, making } = await scene()
    const { path, body, other, count } = makingIn(making)
    const first = await w.api('POST', path, body, key)
    expect(first.status).toBeLessThan(202)
    const again = await w.api('POST', path, body, key)
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([first.status, first.text, 'true'])
    expect(codeOf(await w.api('POST', path, other, key))).toEqual([409, 'idempotency_conflict'])
    await w.quiet()
    expect(await count(w)).toBe(1)
  })

  test('is not repeated if the answer was lost', async () => {
    let fate: Fate = 'is lost'
    const { w, making } = await scene(() => fate)
    const { path, body, count } = makingIn(making)
    expect(codeOf(await w.api('POST', path, body, key))).toEqual([502, 'upstream_unavailable'])
    fate = 'arrives'
    const again = await w.api('POST', path, body, key)
    expect(codeOf(again)).toEqual([409, 'idempotency_in_progress'])
    expect(again.body.error.message).toContain('may have been carried out')
    await w.quiet()
    expect(await count(w)).toBe(1)
  })

  test('is not repeated if the process was killed during the request', async () => {
    const { promise: later, resolve: answer } = Promise.withResolvers<undefined>()
    const { w, making } = await scene(() => later)
    const { path, body, count } = makingIn(making)
    const first = w.api('POST', path, body, key)
    await expect.poll(() => count(w)).toBe(1)
    const image = newHome()
    cpSync(w.home, image, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    answer(undefined)
    await first
    worlds = []
    await w.close()
    const next = await world({ home: image, vault: w.vault, clock: w.clock, seed: 2 })
    worlds.push(next)
    await next.quiet()
    expect(codeOf(await next.api('POST', path, body, { ...key, key: w.allScopes }))).toEqual([
      409,
      'idempotency_in_progress',
    ])
    expect(await count(next)).toBe(1)
  })

  test('is repeated if the request was refused', async () => {
    const { w, making } = await scene()
    const { path, body, count } = makingIn(making)
    const id = path.split('/')[3] ?? ''
    await w.api('POST', `/v1/instances/${id}/disconnect`)
    await w.quiet()
    expect(codeOf(await w.api('POST', path, body, key))).toEqual([409, 'not_ready'])
    await w.api('POST', `/v1/instances/${id}/restart`)
    await w.pass(3_000)
    expect((await w.api('POST', path, body, key)).status).toBeLessThan(202)
    await w.quiet()
    expect(await count(w)).toBe(1)
  })
})
