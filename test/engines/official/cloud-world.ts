import { createHmac } from 'node:crypto'
import { createOfficial, type Official } from '../../../main/engines/official/index.ts'
import type { EngineInstance, EngineSignal, Outgoing, SendOutcome } from '../../../main/engines/engine.ts'
import { createIds, type InstanceId, type MessageId } from '../../../main/kernel/ids.ts'
import { silentLog, type Log } from '../../../main/kernel/log.ts'
import type { OutboundAnswer, OutboundRequest } from '../../../main/outbound/outbound.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'
import { departing } from '../../support/engine.ts'

export const OURS = '12025550200'
export const ANA = '12025550101'
export const PHONE_NUMBER_ID = '106540352242922'
export const WABA_ID = '102290129340398'
export const TOKEN = 'EAAGTOKENTOKENTOKENTOKEN'
export const APP_SECRET = '0123456789abcdef0123456789abcdef'
const PUBLIC = 'https://switchboard.example'

type Signal<K extends EngineSignal['kind']> = Extract<EngineSignal, { kind: K }>

/** What the world outside answers to a request; undefined: the usual answer of Graph. */
type Script = (request: OutboundRequest, path: string) => OutboundAnswer | Promise<OutboundAnswer> | undefined

export interface CloudWorld {
  readonly clock: FakeClock
  readonly data: TestDatabase
  readonly official: Official
  /** Every request that left, in order. */
  readonly asked: OutboundRequest[]
  answer(script: Script): void
  instance(): EngineInstance
  /** Connected as a person at the page connects it; its signals are forgotten. */
  connected(more?: Partial<Ids>): Promise<EngineInstance>
  send(
    instance: EngineInstance,
    out?: Partial<Outgoing>,
    leave?: () => Promise<void>,
  ): Promise<{ messageId: MessageId; outcome: SendOutcome }>
  /** Meta calling back, signed. @param secret with which it signs. */
  callBack(instance: EngineInstance, body: object | Buffer, secret?: string): Promise<void>
  told(instance: EngineInstance): EngineSignal[]
  of<K extends EngineSignal['kind']>(instance: EngineInstance, kind: K): Signal<K>[]
  forget(): void
  /** How often the sink refuses before it takes a signal. */
  sink: { refusals: number }
  /** Ends the engine as a kill would, and opens another on the same database. */
  restart(): Promise<void>
  /** The key of the vault; null while it is locked. */
  vault: { key: Buffer | null }
  close(): Promise<void>
}

interface Ids {
  readonly phoneNumberId: string
  readonly wabaId: string
  readonly number: string
  readonly appSecret: string
}

export interface CloudOptions {
  readonly publicBaseUrl?: string | null
  readonly isOpen?: boolean
  readonly log?: Log
}

/** The engine over a scripted Graph: time stands still and no socket is opened, so every outcome can be had at will. */
export async function cloudWorld({ publicBaseUrl = PUBLIC, log = silentLog }: CloudOptions = {}): Promise<CloudWorld> {
  const clock = fakeClock()
  const data = await testDatabase(undefined, { clock })
  const ids = createIds(clock, seededRandom(7))
  const accountId = ids.account()
  const told: { instanceId: InstanceId; signal: EngineSignal }[] = []
  const asked: OutboundRequest[] = []
  const numbers = new Map<string, Ids>()
  const sink = { refusals: 0 }
  const vault: CloudWorld['vault'] = { key: Buffer.alloc(32, 1) }
  let script: Script = () => undefined

  const request = async (made: OutboundRequest): Promise<OutboundAnswer> => {
    try {
      await made.beforeFirstByte?.()
    } catch {
      return failed('aborted', false)
    }
    asked.push(made)
    const path = new URL(made.url).pathname.split('/').slice(2).join('/')
    return (await script(made, path)) ?? usual(made, path, numbers)
  }
  const way = { request } as never

  const open = () =>
    createOfficial({
      db: data.db,
      clock,
      random: seededRandom(clock.now() + asked.length),
      log,
      seal: createSeal({ masterKey: { key: () => vault.key }, random: seededRandom(3) }),
      async sink(instanceId, signal) {
        if (sink.refusals-- > 0) throw new Error('The storage is full')
        sink.refusals = 0
        told.push({ instanceId, signal })
      },
      waysOut: { graph: way, mirror: way, isSimulated: false, close: async () => {} },
      graphBaseUrl: () => 'https://graph.example',
      graphVersion: 'v26.0',
      app: { id: '900900900', secret: new Proxy({} as never, { get: () => () => APP_SECRET }), configId: '77777' },
      publicBaseUrl,
      localUrl: () => 'http://127.0.0.1:4780',
    })

  let official = open()
  await official.engine.begin()

  const world: CloudWorld = {
    clock,
    data,
    asked,
    sink,
    vault,
    get official() {
      return official
    },
    answer: (next) => void (script = next),
    instance: () => ({ id: ids.instance(), accountId, engine: 'official', network: 'live' }),
    async connected(more = {}) {
      const given = { phoneNumberId: PHONE_NUMBER_ID, wabaId: WABA_ID, number: OURS, appSecret: APP_SECRET, ...more }
      numbers.set(given.phoneNumberId, given)
      const instance = world.instance()
      const token = (await official.engine.onboarding?.token(instance)) ?? ''
      const { appSecret, phoneNumberId, wabaId } = given
      const done = await official.onboarding.paste(token, {
        accessToken: TOKEN,
        appSecret,
        phoneNumberId,
        wabaId,
        pin: '',
      })
      if (done.kind !== 'connected') throw new Error(JSON.stringify(done))
      await clock.advance(0)
      world.forget()
      asked.splice(0)
      return instance
    },
    async send(instance, out = {}, leave = async () => {}) {
      const messageId = ids.message()
      const whole = { kind: 'text', to: ANA, text: 'Hello', ...out } as Outgoing
      const outcome = await official.engine.send(instance, messageId, whole, { ...departing(), leave })
      if ('settled' in outcome) outcome.settled()
      return { messageId, outcome }
    },
    async callBack(instance, body, secret = APP_SECRET) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
      await official.callbacks.take(instance.id, signed(bytes, secret), bytes)
      await settle()
    },
    told: ({ id }) => told.filter(({ instanceId }) => instanceId === id).map(({ signal }) => signal),
    of: <K extends EngineSignal['kind']>(instance: EngineInstance, kind: K) =>
      world.told(instance).filter((signal): signal is Signal<K> => signal.kind === kind),
    forget: () => void told.splice(0),
    async restart() {
      await official.engine.close()
      official = open()
    },
    async close() {
      await official.engine.close()
      if (clock.waiting() > 0) throw new Error('timers left behind')
      await data.close()
    },
  }
  return world
}

export const signed = (body: Buffer, secret = APP_SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export function answered(status: number, body: unknown, headers: Record<string, string> = {}): OutboundAnswer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return { kind: 'response', status, headers, body: bytes, truncated: false, remoteIp: '157.240.0.1' }
}

/** An error as Graph writes it. */
export const graphError = (code: number, details = 'Details of Meta', status = 400) =>
  answered(status, {
    error: {
      message: `(#${code}) Something`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details },
      fbtrace_id: 'x',
    },
  })

export const failed = (code: string, sent: boolean): OutboundAnswer => ({
  kind: 'failure',
  stage: sent ? 'timeout' : 'connect',
  code,
  message: 'It did not work.',
  sent,
})

let sends = 0

function usual(made: OutboundRequest, path: string, numbers: ReadonlyMap<string, Ids>): OutboundAnswer {
  const [id = '', edge] = path.split('/')
  if (edge === 'messages') {
    return answered(200, {
      messaging_product: 'whatsapp',
      contacts: [{ input: ANA, wa_id: ANA }],
      messages: [{ id: `wamid.${++sends}`, message_status: 'accepted' }],
    })
  }
  if (edge === 'media') return answered(200, { id: '4490709327384033' })
  if (edge === 'phone_numbers') {
    const mine = [...numbers.values()].filter(({ wabaId }) => wabaId === id)
    return answered(200, { data: mine.map(({ phoneNumberId }) => ({ id: phoneNumberId })) })
  }
  const number = numbers.get(id)
  if (made.method === 'GET' && edge === undefined && number !== undefined) return answered(200, info(number.number))
  return answered(200, { success: true })
}

export const info = (number: string, more: object = {}) => ({
  id: PHONE_NUMBER_ID,
  display_phone_number: `+${number}`,
  verified_name: 'Garden shop',
  quality_rating: 'GREEN',
  messaging_limit_tier: 'TIER_1K',
  account_mode: 'LIVE',
  platform_type: 'CLOUD_API',
  is_on_biz_app: false,
  throughput: { level: 'STANDARD' },
  ...more,
})

/** A callback with one change of the field `messages`. */
export const messagesBody = (value: object, phoneNumberId = PHONE_NUMBER_ID, wabaId = WABA_ID) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: wabaId, changes: [messagesChange(value, phoneNumberId)] }],
})

export const messagesChange = (value: object, phoneNumberId = PHONE_NUMBER_ID) => ({
  field: 'messages',
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: OURS, phone_number_id: phoneNumberId },
    ...value,
  },
})

export const textFrom = (from: string, id: string, body = 'Hello', more: object = {}) => ({
  from,
  id,
  timestamp: '1767614400',
  type: 'text',
  text: { body },
  ...more,
})

export const statusOf = (id: string, status: string, more: object = {}) => ({
  id,
  status,
  timestamp: '1767614401',
  recipient_id: ANA,
  ...more,
})
