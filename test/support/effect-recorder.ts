import type { Effect } from '../../main/contract/effects.ts'
import type { Engine } from '../../main/engines/engine.ts'
import type { Dial } from '../../main/outbound/outbound.ts'
import type { World } from './world.ts'

export interface EffectRecorder {
  /** Goes into the options of the world. */
  readonly observeEngine: (engine: Engine) => Engine
  /** Goes into the options of the world, and of its voice: a connection that is opened shows that something is sent. */
  readonly dial: Dial
  /** What a call did: each effect with what showed it. @param act makes the call, and returns all that its caller read. */
  during(w: World, act: () => Promise<string>): Promise<Recorded>
}

type Recorded = ReadonlyMap<Effect, string>

/** What an engine does without anybody noticing. Everything else that it does past sending reaches people. */
const UNNOTICED = new Set([
  ...['check', 'profile', 'avatar', 'block', 'blocked', 'groups', 'group', 'changeChat'],
  ...['labels', 'saveLabel', 'removeLabel', 'labelChat', 'labelMessage'],
])

/** What lets its holder in, as an answer shows it. */
const MEANS: readonly (readonly [Effect, RegExp])[] = [
  ['access', /\b(swb_\w{20,}|whsec_[\w+/=]{20,})|"ciphertext":|[?&]signature=/],
  [
    'invitation',
    /\/(onboard|link|passkey|invite)\/[\w-]{16,}|chat\.sandbox\/\w|[?#&](code|token|invitation)=[\w-]{16,}/,
  ],
]

/** The last request that arrived and the last event, and how much was bought and called. */
const COUNTS = `SELECT
  (SELECT COALESCE(MAX(seq), 0) FROM sandbox_caught) AS caught,
  (SELECT COALESCE(MAX(seq), 0) FROM events) AS events,
  (SELECT COUNT(*) FROM billing_orders) AS orders,
  (SELECT COUNT(*) FROM voice_calls WHERE attempt > 0) AS calls`

/** Where data goes, and which keys let somebody in. What is new after a call was set by it. */
const SET: readonly (readonly [Effect, string])[] = [
  [
    'destination',
    `SELECT 'webhook ' || id || url AS item FROM webhooks
     UNION ALL SELECT 'instance webhook ' || instance_id || url FROM instance_webhooks
     UNION ALL SELECT 'provider ' || instance_id || provider || COALESCE(base_url, '') FROM ai_provider_keys
     UNION ALL SELECT 'HTTP tool ' || id || url FROM ai_http_tools
     UNION ALL SELECT 'CRM ' || id || COALESCE(url, '') FROM crm_links
     UNION ALL SELECT 'widget ' || id || allowed_origins FROM voice_widgets
     UNION ALL SELECT 'trunk ' || instance_id || host || port || transport FROM voice_trunks
     UNION ALL SELECT 'speech ' || account_id || services FROM voice_speech`,
  ],
  ['access', `SELECT 'key ' || id AS item FROM api_keys`],
]

/**
 * What arrived without an event that happened meanwhile. What happens is delivered to the webhooks of the account,
 * whoever made it happen.
 */
async function requestsSince(w: World, before: Counts): Promise<string[]> {
  const caught = await w.rows<{ headers: string; body: string }>(
    'SELECT headers, body FROM sandbox_caught WHERE seq > :caught ORDER BY seq',
    { caught: before.caught },
  )
  const happened = await w.rows<{ id: string }>('SELECT event_id AS id FROM events WHERE seq > :events', {
    events: before.events,
  })
  const isOfOne = (text: string) => happened.some(({ id }) => text.includes(id))
  return caught.filter(({ body }) => !isOfOne(body)).map(({ body }) => `a request arrived: ${body.slice(0, 200)}`)
}

interface Counts {
  readonly caught: number
  readonly events: number
  readonly orders: number
  readonly calls: number
}

/** Records what calls really do to people, destinations, access, connections and money. */
export function createEffectRecorder(): EffectRecorder {
  const seen = new Map<Effect, string>()
  const note = (effect: Effect, what: string): void => {
    if (!seen.has(effect)) seen.set(effect, what)
  }
  /** The first start of an instance is no connection yet: a phone must scan its code. */
  const started = new Set<string>()

  function watched<T extends object>(calls: T, effectOf: (name: string, id: string) => Effect | undefined): T {
    const entries = Object.entries(calls).map(([name, call]: [string, unknown]) => {
      if (typeof call !== 'function') return [name, call]
      return [
        name,
        (instance: { id: string }, ...rest: unknown[]): unknown => {
          const effect = effectOf(name, instance.id)
          if (effect !== undefined) note(effect, name)
          return (call as (...all: unknown[]) => unknown)(instance, ...rest)
        },
      ]
    })
    return Object.fromEntries(entries) as T
  }

  const linkEffect = (name: string, id: string): Effect | undefined => {
    if (name === 'send') return 'people'
    if (['stop', 'logout', 'wipe'].includes(name)) return started.has(id) ? 'connection' : undefined
    if (name !== 'start') return undefined
    if (started.has(id)) return 'connection'
    started.add(id)
    return undefined
  }

  return {
    observeEngine: (engine) => ({
      ...watched(engine, linkEffect),
      ...(engine.direct && { direct: watched(engine.direct, (name) => (UNNOTICED.has(name) ? undefined : 'people')) }),
      ...(engine.pairing && {
        pairing: watched(engine.pairing, (name) => ({ code: 'people', refresh: 'connection' } as const)[name]),
      }),
    }),

    dial(address) {
      note('outbound', `a connection to ${address} was opened`)
      // Port 9 of loopback refuses: a test never leaves the machine.
      return { address: '127.0.0.1', port: 9 }
    },

    async during(w, act) {
      const count = async () => (await w.rows<Counts & object>(COUNTS))[0] as Counts
      const itemsOf = async (text: string) => (await w.rows<{ item: string }>(text)).map(({ item }) => item)
      await w.quiet()
      const before = await count()
      const known = await Promise.all(SET.map(async ([, text]) => new Set(await itemsOf(text))))
      seen.clear()
      const answer = await act()
      await w.quiet()
      const after = await count()
      for (const request of await requestsSince(w, before)) note('outbound', request)
      if (after.orders > before.orders) note('money', 'an order was made')
      if (after.calls > before.calls) note('people', 'a call was placed')
      for (const [at, [effect, text]] of SET.entries())
        for (const item of await itemsOf(text)) if (known[at]?.has(item) === false) note(effect, item)
      for (const [effect, means] of MEANS) {
        const found = means.exec(answer)?.[0]
        if (found !== undefined) note(effect, found)
      }
      return new Map(seen)
    },
  }
}
