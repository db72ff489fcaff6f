import { ACCEPTED_SCOPES, SCOPES, type AcceptedScope } from '../../main/contract/scopes.ts'
import { world, type Reply, type World } from '../support/world.ts'
import type { Ask } from './requests.ts'
import { sideOf, type Side } from './sides.ts'

/** Whose things a request can name. */
export const TARGETS = [
  ...(['own', 'outside', 'other', 'outside, deleted', 'other, deleted', 'unknown', 'malformed'] as const),
]
export type Target = (typeof TARGETS)[number]

/** A key of the own account: to everything in it, or to a list that holds the two lines of the own side. */
export type Reaching = 'all' | 'list'
export const EVERY = 'every scope'

/** Three sides: two of one account, of which a key's list holds one, and one of another account. */
export interface Scene {
  readonly w: World
  readonly sides: Readonly<Record<'own' | 'outside' | 'other', Side>>
  /** The ids in the list of a key that has one. */
  readonly listed: readonly string[]
  key(reaching: Reaching, holding: AcceptedScope | typeof EVERY): string
  sideFor(target: Target): Side
}

export async function openScene(): Promise<Scene> {
  const w = await world({ settings: { graphBaseUrl: 'sandbox' } })
  const { key: theirs } = await w.stranger()
  const sides = {
    own: await sideOf(w, w.allScopes, 'Quillhaven', '31'),
    outside: await sideOf(w, w.allScopes, 'Brackmoor', '32'),
    other: await sideOf(w, theirs, 'Thornwick', '33'),
  }
  const listed = [sides.own.smv2.id, sides.own.official.id]
  const keys = new Map<string, string>()
  for (const holding of [...ACCEPTED_SCOPES, EVERY] as const) {
    const scopes = holding === EVERY ? SCOPES : [holding]
    keys.set(`all ${holding}`, (await w.key({ scopes })).key)
    keys.set(`list ${holding}`, (await w.key({ scopes, instances: listed })).key)
  }
  return {
    ...{ w, sides, listed },
    key: (reaching, holding) => keys.get(`${reaching} ${holding}`) ?? '',
    sideFor: (target) => sideFor(sides, target),
  }
}

const UNKNOWN_ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'

function sideFor(sides: Scene['sides'], target: Target): Side {
  switch (target) {
    case 'own':
    case 'outside':
    case 'other':
      return sides[target]
    case 'outside, deleted':
      return gone(sides.outside)
    case 'other, deleted':
      return gone(sides.other)
    case 'unknown':
      return nobody(sides.own, UNKNOWN_ID)
    case 'malformed':
      return nobody(sides.own, 'malformed')
  }
}

const gone = (side: Side): Side => ({
  ...side,
  smv2: { ...side.smv2, id: side.deleted.smv2 },
  official: { ...side.official, id: side.deleted.official },
})

/** A side with names that nothing has. */
function nobody(side: Side, id: string): Side {
  const words = {
    message: `msg_${id}`,
    heard: `msg_${id}`,
    poll: `msg_${id}`,
    key: `key-${id}`,
    media: `SANDBOX${id}`,
    template: id,
    group: `${id}@g.us`,
    ...{ agent: id, stage: id, faq: id },
    link: id,
    call: id,
    recording: id,
    widget: id,
  }
  return {
    ...side,
    ...{
      webhook: `whk_${id}`,
      delivery: `dlv_${id}`,
      event: `evt_${id}`,
      spoken: `SANDBOX${id}`,
      graphNumber: `0${id}`,
      upload: `fil_${id}`,
      client: id,
      clientKey: id,
      account: id,
      purchase: `ord_${id}`,
      checkout: `chk_${id}`,
      campaign: `cmp_${id}`,
      contact: id,
      lead: id,
      conversation: id,
      location: 'A'.repeat(20),
      optOut: id,
      question: `msg_${id}`,
      numberCheck: `nck_${id}`,
      invite: `https://chat.sandbox/${'A'.repeat(20)}`,
      code: 'ZZZZ-ZZZZ',
      qr: 'data:image/png;base64,AAAA',
    },
    smv2: { ...side.smv2, ...words, id },
    official: { ...side.official, ...words, id },
  }
}

const PER_REQUEST = new Set(['x-request-id', 'x-ratelimit-remaining', 'date'])

export interface Look {
  readonly status: number
  readonly text: string
  readonly headers: readonly (readonly [string, string])[]
}

/** All of an answer that a caller can tell from another's: without the ids of requests, and what they themselves name. */
export function look({ status, text, headers }: Pick<Reply, 'status' | 'text' | 'headers'>, { named }: Ask): Look {
  const unnamed = named
    .toSorted((a, b) => b.length - a.length)
    .reduce((said, word) => said.replaceAll(word, 'NAMED'), text)
  return {
    status,
    text: unnamed.replace(headers['x-request-id'] || 'none', 'REQUEST'),
    // Its length follows from what the caller named.
    headers: Object.entries(headers)
      .filter(([name]) => !PER_REQUEST.has(name) && name !== 'content-length')
      .toSorted(),
  }
}
