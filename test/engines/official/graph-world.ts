import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import type { EngineInstance, EngineSignal, Outgoing, SendOutcome } from '../../../main/engines/engine.ts'
import { createOfficial, createOutboundClients, type Official } from '../../../main/engines/official/index.ts'
import { createGraphSimulator, type GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { createSandboxNetwork, type SandboxNetwork } from '../../../main/engines/sandbox/index.ts'
import { addCallbackRoutes } from '../../../main/faces/callback-routes.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createIds, systemRandom, type AccountId, type InstanceId, type MessageId } from '../../../main/kernel/ids.ts'
import { silentLog, type Log } from '../../../main/kernel/log.ts'
import { systemResolve } from '../../../main/outbound/outbound.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { countingClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/service-process.ts'
import { departing } from '../../support/engine.ts'

/** Somebody with a number, and somebody who hides theirs. */
export const ANA = '12025550101'
export const HIDDEN = '900000000000001'
const WRITERS = [ANA, HIDDEN]

export type Credentials = Awaited<ReturnType<GraphSimulator['addNumber']>>
type Signal<K extends EngineSignal['kind']> = Extract<EngineSignal, { kind: K }>

export interface GraphWorld {
  readonly data: TestDatabase
  readonly accountId: AccountId
  readonly network: SandboxNetwork
  readonly graph: GraphSimulator
  readonly official: Official
  instance(): EngineInstance
  /** A number at the simulator. The people of these tests have written to it, so that it may answer them. */
  number(number: string, more?: object): Promise<Credentials>
  connect(credentials: Credentials): Promise<EngineInstance>
  send(
    instance: EngineInstance,
    out: Partial<Outgoing> & { to: string },
    deadlineMs?: number,
  ): Promise<{ messageId: MessageId; outcome: SendOutcome }>
  told(instance: EngineInstance): EngineSignal[]
  of<K extends EngineSignal['kind']>(instance: EngineInstance, kind: K): Signal<K>[]
  /** What was told of a message, as a status or `failed`. */
  statuses(instance: EngineInstance, messageId: string): string[]
  /** The engine alone ends and begins again; the network outside goes on. */
  restart(): Promise<void>
  /** What Meta called back with, in the order of arrival. */
  // They are read as they come.
  readonly callbacks: readonly any[]
  /** Timers that somebody left running. */
  timers(): number
  close(): Promise<void>
}

/** The engine, the simulator and a door for callbacks, over real sockets and in real time. */
export async function graphWorld({ log = silentLog }: { log?: Log } = {}): Promise<GraphWorld> {
  const data = await testDatabase(undefined, { clock: systemClock })
  const ids = createIds(systemClock, systemRandom)
  const accountId = ids.account()
  const told: { instanceId: InstanceId; signal: EngineSignal }[] = []
  const base = { db: data.db, clock: systemClock, random: systemRandom, log }
  const app = Fastify()
  const address = { url: '' }
  const counted = countingClock()
  const callbacks: unknown[] = []

  const seal = createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random: systemRandom })
  const network = createSandboxNetwork({
    ...base,
    seal,
    sink: (id, signal) => graph.onSignal(id, signal),
    timelineMs: [2, 5, 10, 15],
    sendTimeoutMs: 100,
  })
  const graph = createGraphSimulator({ ...base, ids, network, resolve: systemResolve })
  await network.official.begin()
  await graph.begin()
  await graph.listen(0)

  const open = () => {
    const waysOut = createOutboundClients({
      ...{ clock: counted.clock, resolve: systemResolve, publicBaseUrl: null, isSimulated: true },
      graphBaseUrl: graph.url,
    })
    const official = createOfficial({
      ...base,
      clock: counted.clock,
      seal,
      async sink(instanceId, signal) {
        told.push({ instanceId, signal })
      },
      waysOut,
      graphBaseUrl: graph.url,
      graphVersion: 'v26.0',
      app: { id: graph.app.id, secret: new Secret(graph.app.secret), configId: '77777' },
      publicBaseUrl: null,
      localUrl: () => address.url,
    })
    return { official, waysOut }
  }

  let now = open()
  await now.official.engine.begin()
  addCallbackRoutes(app, {
    confirm: (...asked) => now.official.callbacks.confirm(...asked),
    async take(...called) {
      await now.official.callbacks.take(...called)
      callbacks.push(JSON.parse(called[2].toString()))
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  address.url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  const end = async () => {
    await now.official.engine.close()
    await now.waysOut.close()
  }

  const world: GraphWorld = {
    data,
    accountId,
    network,
    graph,
    get official() {
      return now.official
    },
    instance: () => ({ id: ids.instance(), accountId, engine: 'official', network: 'live' }),
    async number(number, more = {}) {
      for (const person of WRITERS) {
        await network.speak(accountId, person, { to: number, group: null, content: { type: 'text', text: 'Hi' } })
      }
      return graph.addNumber(accountId, { number, ...more })
    },
    async connect(credentials) {
      const instance = world.instance()
      const token = (await now.official.engine.onboarding?.token(instance)) ?? ''
      const done = await now.official.onboarding.paste(token, { ...credentials, pin: '' })
      if (done.kind !== 'connected') throw new Error(JSON.stringify(done))
      return instance
    },
    async send(instance, out, deadlineMs = 5_000) {
      const messageId = ids.message()
      const whole = { kind: 'text', text: 'Hello', ...out } as Outgoing
      const outcome = await now.official.engine.send(
        instance,
        messageId,
        whole,
        departing(AbortSignal.timeout(deadlineMs)),
      )
      if ('settled' in outcome) outcome.settled()
      return { messageId, outcome }
    },
    told: ({ id }) => told.filter(({ instanceId }) => instanceId === id).map(({ signal }) => signal),
    of: <K extends EngineSignal['kind']>(instance: EngineInstance, kind: K) =>
      world.told(instance).filter((signal): signal is Signal<K> => signal.kind === kind),
    statuses: (instance, messageId) =>
      world.told(instance).flatMap((signal) => {
        if (!('messageId' in signal) || signal.messageId !== messageId) return []
        return signal.kind === 'receipt' ? [signal.status] : [signal.kind]
      }),
    async restart() {
      await end()
      now = open()
      await now.official.engine.begin()
    },
    callbacks,
    timers: counted.running,
    async close() {
      await end()
      await app.close()
      await network.official.close()
      await graph.close()
      await data.close()
    },
  }
  return world
}

/** Waits until something holds; what is asked for happens within milliseconds. */
export const soon = (what: string, holds: () => boolean) => until(what, () => holds() || undefined)
