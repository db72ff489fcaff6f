import { join } from 'node:path'
import { BufferJSON } from 'baileys'
import type { EngineInstance, EngineSignal, Outgoing, SendOutcome } from '../../../main/engines/engine.ts'
import { DEFAULT_LINE, type LineSettings } from '../../../main/engines/line-settings.ts'
import { createSmv2, WHATSAPP_HOSTS, type Smv2 } from '../../../main/engines/smv2/index.ts'
import { createFiles } from '../../../main/kernel/files.ts'
import { createIds, systemRandom, type AccountId, type InstanceId, type MessageId } from '../../../main/kernel/ids.ts'
import { createMediaConverter } from '../../../main/kernel/media-converter.ts'
import { silentLog, type Log } from '../../../main/kernel/log.ts'
import { createOutbound, systemResolve, type Outbound, type OutboundRequest } from '../../../main/outbound/outbound.ts'
import { VERSION_SOURCES } from '../../../main/engines/smv2/protocol.ts'
import { webPages, type WebPages } from '../../support/whatsapp/web-pages.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { countingClock, patientClock, type FakeClock } from '../../support/clock.ts'
import { MEDIA_PROGRAM } from '../../support/media-program.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/service-process.ts'
import { startWhatsApp } from '../../support/stand-in.ts'
import type { WhatsApp } from '../../support/whatsapp/index.ts'

type Signal<K extends EngineSignal['kind']> = Extract<EngineSignal, { kind: K }>

/** The engine with its own storage, and the stand-in for WhatsApp that it connects to over real sockets. */
export interface LineWorld {
  readonly whatsapp: WhatsApp
  readonly data: TestDatabase
  readonly accountId: AccountId
  readonly smv2: Smv2
  instance(): EngineInstance
  /** Pairs with this number's phone by QR, and forgets what was told meanwhile. */
  connect(number: string): Promise<EngineInstance>
  /** The text on screen now, once there is one. */
  qr(instance: EngineInstance): Promise<string>
  /** Sends without waiting. @param deadlineMs after which nobody waits any more. */
  sending(
    instance: EngineInstance,
    out: Partial<Outgoing> & { to: string },
    deadlineMs?: number,
  ): { messageId: MessageId; outcome: Promise<SendOutcome> }
  send(
    instance: EngineInstance,
    out: Partial<Outgoing> & { to: string },
    deadlineMs?: number,
  ): Promise<{ messageId: MessageId; outcome: SendOutcome }>
  told(instance: EngineInstance): EngineSignal[]
  of<K extends EngineSignal['kind']>(instance: EngineInstance, kind: K): Signal<K>[]
  /** Waits until something of the kind was told. @param is what it must be besides. */
  heard<K extends EngineSignal['kind']>(
    instance: EngineInstance,
    kind: K,
    is?: (signal: Signal<K>) => boolean,
  ): Promise<Signal<K>>
  statuses(instance: EngineInstance, messageId: string): string[]
  /** Whether the message was marked as one that may have left. */
  hasLeft(messageId: MessageId): boolean
  /** What is stored of the session under this type, opened, by id. */
  keys(instance: EngineInstance, type: string): Readonly<Record<string, unknown>>
  forget(): void
  /** The key of the vault; null while it is locked. */
  readonly vault: { key: Buffer | null }
  /** What is set for every line. */
  readonly line: { settings: LineSettings }
  /** How often the sink refuses before it takes a signal. */
  readonly sink: { refusals: number }
  /** Ends the engine and opens another on the same storage, which takes up this instance. */
  restart(instance?: EngineInstance): Promise<void>
  /** The same for many, without waiting until they are connected. */
  restartAll(instances: readonly EngineInstance[]): Promise<void>
  timers(): number
  close(): Promise<void>
}

const KEYS = 'SELECT id, sealed FROM smv2_keys WHERE instance_id = @instanceId AND type = @type'

const NO_PACE = { pacePerMinute: 0, paceBurst: 10, paceChatPerMinute: 20, paceChatBurst: 5, paceSpacingMs: 500 }

export interface LineOptions {
  readonly log?: Log
  readonly heldAckMs?: number
  readonly version?: string | null
  readonly mediaWaitSeconds?: number
  /** The engine's time, which the test moves. The client library and the stand-in keep the real time. */
  readonly time?: FakeClock
  /** Which network it connects to. */
  readonly start?: typeof startWhatsApp
  /** Where the version of the network's own client is looked up; an older one than ours when nothing is said. */
  readonly pages?: Pick<WebPages, 'request'>
  /** How fast messages leave; as they come when nothing is said, because most tests are about something else. */
  readonly pace?: Partial<typeof NO_PACE>
}

export async function lineWorld({
  log = silentLog,
  heldAckMs,
  version = null,
  mediaWaitSeconds = 20,
  time,
  start = startWhatsApp,
  pages = webPages(),
  pace = {},
}: LineOptions = {}): Promise<LineWorld> {
  const whatsapp = await start(heldAckMs === undefined ? {} : { heldAckMs })
  whatsapp.takeRoute()
  whatsapp.faults.demandCurrentForms()
  const counted = countingClock()
  const clock = time ?? counted.clock
  const data = await testDatabase(undefined, { clock })
  const ids = createIds(clock, systemRandom)
  const accountId = ids.account()
  const told: { instanceId: InstanceId; signal: EngineSignal }[] = []
  const sink = { refusals: 0 }
  const line: LineWorld['line'] = { settings: DEFAULT_LINE }
  const files = createFiles({ db: data.db, clock, ids, folder: join(data.dir, 'files') })
  const accepted = new Map<string, string>()
  const left = new Set<string>()
  const vault: LineWorld['vault'] = { key: Buffer.alloc(32, 1) }
  const seal = createSeal({ masterKey: { key: () => vault.key }, random: systemRandom })

  const open = (): { smv2: Smv2; outbound: Outbound } => {
    const toNetwork = createOutbound({
      ...{ clock, resolve: systemResolve, trustedRanges: [] },
      only: () => WHATSAPP_HOSTS,
    })
    const isPage = ({ url }: OutboundRequest) => VERSION_SOURCES.some((source) => source.url === url)
    const outbound: Outbound = {
      ...toNetwork,
      request: (asked) => (isPage(asked) ? pages.request(asked) : toNetwork.request(asked)),
    }
    const smv2 = createSmv2({
      readLineSettings: async () => line.settings,
      throughProxy: (proxy) =>
        createOutbound({
          clock,
          resolve: systemResolve,
          trustedRanges: ['127.0.0.1/32'],
          only: () => WHATSAPP_HOSTS,
          proxy,
        }),
      ...{ db: data.db, clock, random: systemRandom, log, outbound, home: data.dir, files, seal, converter },
      async sink(instanceId, signal) {
        if (sink.refusals > 0) {
          sink.refusals--
          throw new Error('The storage is full')
        }
        told.push({ instanceId, signal })
      },
      settings: {
        protocolVersion: version,
        mediaKeepDays: 30,
        mediaWaitSeconds,
        sendTimeoutMs: 20_000,
        ...NO_PACE,
        ...pace,
      },
    })
    return { smv2, outbound }
  }
  const converter = createMediaConverter({ clock: patientClock, log, program: MEDIA_PROGRAM })
  let now = open()
  await now.smv2.engine.begin()
  const end = async () => {
    await now.outbound.close()
    await now.smv2.engine.close()
  }

  const world: LineWorld = {
    ...{ whatsapp, data, accountId, sink, vault, line },
    get smv2() {
      return now.smv2
    },
    instance: () => ({ id: ids.instance(), accountId, engine: 'smv2', network: 'live' }),
    async connect(number) {
      const instance = world.instance()
      await now.smv2.engine.start(instance)
      await whatsapp.phone(number).scan(await world.qr(instance))
      await world.heard(instance, 'connected')
      world.forget()
      return instance
    },
    qr: (instance) =>
      until('a QR code', async () => (await now.smv2.engine.pairing?.current(instance))?.text ?? undefined),
    sending(instance, out, deadlineMs = 5_000) {
      const messageId = ids.message()
      const whole = { kind: 'text', text: 'Hello', ...out } as Outgoing
      const outcome = now.smv2.engine
        .send(instance, messageId, whole, {
          signal: AbortSignal.timeout(deadlineMs),
          leave: async () => void left.add(messageId),
        })
        .then(async (found) => {
          if (found.kind === 'accepted') accepted.set(messageId, found.status)
          if ('journal' in found) await data.db.commit(async (tx) => found.journal?.(tx))
          return found
        })
      return { messageId, outcome }
    },
    async send(instance, out, deadlineMs) {
      const { messageId, outcome } = world.sending(instance, out, deadlineMs)
      return { messageId, outcome: await outcome }
    },
    told: ({ id }) => told.filter(({ instanceId }) => instanceId === id).map(({ signal }) => signal),
    of: <K extends EngineSignal['kind']>(instance: EngineInstance, kind: K) =>
      world.told(instance).filter((signal): signal is Signal<K> => signal.kind === kind),
    heard: (instance, kind, is = () => true) => until(kind, () => world.of(instance, kind).find(is)),
    // The answer to the send is the first status; the rest is told.
    statuses: (instance, messageId) => [
      ...(accepted.has(messageId) ? [accepted.get(messageId) ?? ''] : []),
      ...world
        .told(instance)
        .flatMap((signal) =>
          (signal.kind === 'receipt' || signal.kind === 'failed') && signal.messageId === messageId
            ? [signal.kind === 'receipt' ? signal.status : 'failed']
            : [],
        ),
    ],
    keys({ id: instanceId }, type) {
      const rows = data.raw.prepare(KEYS).all({ instanceId, type }) as { id: string; sealed: Buffer }[]
      const opened = ({ id, sealed }: (typeof rows)[number]) =>
        JSON.parse(seal.openBytes(sealed, `smv2:${instanceId}:${type}:${id}`).toString(), BufferJSON.reviver) as unknown
      return Object.fromEntries(rows.map((row) => [row.id, opened(row)]))
    },
    hasLeft: (messageId) => left.has(messageId),
    forget: () => void told.splice(0),
    async restart(instance) {
      await end()
      now = open()
      if (instance) await now.smv2.engine.resume(instance)
      await now.smv2.engine.begin()
      if (instance) await world.heard(instance, 'connected')
    },
    async restartAll(instances) {
      await end()
      now = open()
      for (const instance of instances) await now.smv2.engine.resume(instance)
      await now.smv2.engine.begin()
    },
    timers: time?.waiting ?? counted.running,
    async close() {
      await end()
      await converter.close()
      try {
        await whatsapp.close()
      } finally {
        await data.close()
      }
    },
  }
  return world
}
