import type { Engine as EngineName } from '../../../main/contract/shapes.ts'
import type {
  Engine,
  EngineInstance,
  EngineSignal,
  Outgoing,
  QrState,
  SendOutcome,
} from '../../../main/engines/engine.ts'
import { createSandboxNetwork, type SandboxNetwork } from '../../../main/engines/sandbox/index.ts'
import { createIds, type AccountId, type InstanceId, type MessageId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'
import { departing } from '../../support/engine.ts'

export const ENGINES = ['smv2', 'official'] as const satisfies readonly EngineName[]

/** Numbers of people who behave, and of the instance itself. */
export const OURS = '12025550100'
export const ANA = '12025550101'
export const BEN = '12025550102'

const TIMELINE_MS = [50, 150, 600, 2_000] as const
export const SEND_TIMEOUT_MS = 20_000

type Signal<K extends EngineSignal['kind']> = Extract<EngineSignal, { kind: K }>

export interface NetworkWorld {
  readonly clock: FakeClock
  readonly data: TestDatabase
  readonly network: SandboxNetwork
  readonly accountId: AccountId
  engine(name: EngineName): Engine
  instance(name: EngineName): EngineInstance
  /** Pairs or onboards, and forgets the signals of it. On the official engine, Ana and Ben have written before. */
  connected(name: EngineName, number?: string): Promise<EngineInstance>
  /** Sends and, as the messages room does, commits the journal with the result. */
  send(
    instance: EngineInstance,
    out: Partial<Outgoing> & { to: string },
  ): Promise<SendOutcome & { messageId: MessageId }>
  /** The same without waiting: the call is abandoned at the send timeout. */
  sending(instance: EngineInstance, to: string): { messageId: MessageId; outcome: Promise<SendOutcome> }
  /** Signals told of an instance so far. */
  told(instance: EngineInstance): EngineSignal[]
  of<K extends EngineSignal['kind']>(instance: EngineInstance, kind: K): Signal<K>[]
  /** The statuses told of a message, in order. */
  statuses(instance: EngineInstance, messageId: string): string[]
  forget(): void
  /** While false the sink refuses everything. */
  sink: { accepts: boolean }
  /** Ends the network as a kill would, and opens another on the same database. */
  restart(): Promise<SandboxNetwork>
  qr(instance: EngineInstance): Promise<QrState>
  close(): Promise<void>
}

export async function networkWorld(
  timelineMs: readonly [number, number, number, number] = TIMELINE_MS,
): Promise<NetworkWorld> {
  const clock = fakeClock()
  const data = await testDatabase(undefined, { clock })
  const ids = createIds(clock, seededRandom(7))
  const told: { instanceId: InstanceId; signal: EngineSignal }[] = []
  const sink = { accepts: true }
  const accountId = ids.account()

  const open = () =>
    createSandboxNetwork({
      db: data.db,
      clock,
      random: seededRandom(clock.now()),
      seal: createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random: seededRandom(2) }),
      log: silentLog,
      timelineMs,
      sendTimeoutMs: SEND_TIMEOUT_MS,
      async sink(instanceId, signal) {
        if (!sink.accepts) throw new Error('The storage is full')
        told.push({ instanceId, signal })
      },
    })

  let network = open()
  await network.smv2.begin()

  const world: NetworkWorld = {
    clock,
    data,
    accountId,
    sink,
    get network() {
      return network
    },
    engine: (name) => network[name],
    instance: (engine) => ({ id: ids.instance(), accountId, engine, network: 'sandbox' }),
    async connected(name, number = OURS) {
      const instance = world.instance(name)
      await network[name].start(instance)
      if (name === 'official') {
        for (const person of [ANA, BEN]) {
          await network.speak(accountId, person, { to: number, group: null, content: { type: 'text', text: 'Hi' } })
        }
      }
      if (name === 'official') await network.onboard(instance, number)
      else await network.scan(accountId, number, { text: (await world.qr(instance)).text ?? '' })
      await settle()
      world.forget()
      return instance
    },
    async send(instance, out) {
      const { messageId, outcome } = begin(instance, { kind: 'text', text: 'Hello', ...out } as Outgoing)
      await clock.advance(timelineMs[0])
      const settled = await outcome
      if ('journal' in settled) await data.db.commit(async (tx) => settled.journal?.(tx))
      await settle()
      return { ...settled, messageId }
    },
    sending: (instance, to) => begin(instance, { kind: 'text', to, text: 'Hello' }),
    told: ({ id }) => told.filter(({ instanceId }) => instanceId === id).map(({ signal }) => signal),
    of: <K extends EngineSignal['kind']>(instance: EngineInstance, kind: K) =>
      world.told(instance).filter((signal): signal is Signal<K> => signal.kind === kind),
    statuses: (instance, messageId) =>
      world.told(instance).flatMap((signal) => {
        if (!('messageId' in signal) || signal.messageId !== messageId) return []
        return signal.kind === 'receipt' ? [signal.status] : [signal.kind]
      }),
    forget: () => void told.splice(0),
    async restart() {
      await network.smv2.close()
      network = open()
      return network
    },
    qr: async (instance) => (await network.smv2.pairing?.current(instance)) ?? fail('smv2 has pairing'),
    async close() {
      await network.smv2.close()
      await data.close()
    },
  }
  return world

  function begin(instance: EngineInstance, out: Outgoing) {
    const messageId = ids.message()
    const controller = new AbortController()
    clock.after(SEND_TIMEOUT_MS, () => controller.abort())
    return { messageId, outcome: network[instance.engine].send(instance, messageId, out, departing(controller.signal)) }
  }
}

function fail(expectation: string): never {
  throw new Error(expectation)
}
