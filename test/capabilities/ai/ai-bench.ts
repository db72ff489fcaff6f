import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { createAi, type AiDeps } from '../../../main/capabilities/ai/index.ts'
// The room loads it when a model is first asked; the clock of the tests does not wait for that.
import '../../../main/capabilities/ai/model-brain.ts'
import { toProviderFailure } from '../../../main/capabilities/ai-providers/sdk-failures.ts'
import type { SendResult } from '../../../main/capabilities/messages/index.ts'
import type { Message } from '../../../main/capabilities/messages/store.ts'
import type { AnswerSource } from '../../../main/contract/ai-conversation.ts'
import { ApiError } from '../../../main/contract/errors.ts'
import type { SendOrigin } from '../../../main/contract/send-origin.ts'
import type { Engine, Network } from '../../../main/contract/shapes.ts'
import type { Db, Tx } from '../../../main/kernel/db.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createJobs } from '../../../main/kernel/jobs.ts'
import { createSubscribers, type LedgerEvent } from '../../../main/kernel/ledger.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { fakeClock, settle, START_MS } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const ACCOUNT = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60' as AccountId
const INSTANCE = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b61' as InstanceId

/** Where a process ends: at this commit, before it is written or after. */
export interface Kill {
  readonly atCommit: number
  readonly isWritten: boolean
}

/** What the model does next. */
export interface Said {
  readonly answer?: object
  /** Instead of an answer in the form that was asked for. */
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
  /** Fails before a header. */
  readonly error?: Error
  /** Fails after the beginning of the answer. */
  readonly breaks?: Error
  readonly ms?: number
  readonly tokens?: readonly [input: number, output: number]
}

type Model = (prompt: string, call: number) => Said | Promise<Said>

interface Utterance {
  readonly direction: 'in' | 'out'
  readonly text: string
  readonly type?: string
  /** JSON. */
  readonly content?: string
}

export const sure = (reply: string, more: object = {}): Said => ({
  answer: { reply, confidence: 0.95, needs_person: false, ...more },
})

interface BenchOptions {
  readonly network?: Network
  readonly engine?: Engine
}

/**
 * The AI room on a real database, with a model and a network that do what the test says. A process can be killed at any
 * of its commits, and another one takes over.
 */
export async function aiBench({ network = 'sandbox', engine = 'smv2' }: BenchOptions = {}) {
  const clock = fakeClock(START_MS)
  const { db, raw, close } = await testDatabase(undefined, { clock })
  raw.pragma('foreign_keys = OFF')
  raw
    .prepare(
      `INSERT INTO instances (id, account_id, name, instance_name, engine, network, status, status_at, created_at, updated_at)
       VALUES (?, ?, 'Shop', 'shop', 'smv2', ?, 'connected', 1, 1, 1)`,
    )
    .run(INSTANCE, ACCOUNT, network)
  const sent: { to: string; text: string; key: string; atMs: number }[] = []
  const messages = new Map<string, Message>()
  const threads = new Map<string, Utterance[]>()
  const optedOut = new Set<string>()
  const prompts: string[] = []
  const bench = {
    model: (() => sure('Hello')) as Model,
    sources: [] as AnswerSource[],
    hasKey: true,
    /** Before a message is given to the network. */
    onSend: async (): Promise<SendResult | undefined> => undefined,
    safety: (async () => ({ kind: 'granted' })) as AiDeps['safety']['claim'],
  }

  const said = (chat: string, utterance: Utterance) => threads.set(chat, [...(threads.get(chat) ?? []), utterance])

  const language = () =>
    new MockLanguageModelV4({
      async doStream({ prompt, abortSignal }) {
        const text = JSON.stringify(prompt)
        prompts.push(text)
        const given = await bench.model(text, prompts.length)
        if (given.ms !== undefined) await clock.sleep(given.ms)
        abortSignal?.throwIfAborted()
        if (given.error) throw given.error
        return {
          stream: simulateReadableStream({ chunks: chunksOf(given), initialDelayInMs: null, chunkDelayInMs: null }),
        }
      },
    })

  /** @param kill none: the process lives on. */
  function boot(number: number, kill?: Kill) {
    let commits = 0
    let isDead = false
    const { promise: death, resolve: die } = Promise.withResolvers<undefined>()
    const never = () => new Promise<never>(() => {})
    const own: Db = {
      ...db,
      read: (statement, params) => (isDead ? never() : db.read(statement, params)),
      readOne: (statement, params) => (isDead ? never() : db.readOne(statement, params)),
      boot: `boot_${number}` as Db['boot'],
      async commit(work) {
        if (isDead) return never()
        const isLast = kill !== undefined && ++commits >= kill.atCommit
        if (isLast) {
          isDead = true
          die(undefined)
        }
        if (isLast && !kill.isWritten) return never()
        const result = await db.commit(work)
        return isLast || isDead ? never() : result
      },
    }
    const subscribers = createSubscribers()
    const tell = async (tx: Tx, type: string, data: object, origin: SendOrigin | null = null) => {
      const event = { type, accountId: ACCOUNT, instanceId: INSTANCE, data, origin }
      await subscribers.run(tx, event as LedgerEvent)
    }
    const nodes = { id: `node_${number}` as Db['boot'], aliveSinceMs: () => Number.MAX_SAFE_INTEGER }
    const jobs = createJobs({ ...{ db: own, clock, log: silentLog, nodes }, apiActivity: { isRecent: () => false } })
    const ids = createIds(clock, seededRandom(number))

    const send: AiDeps['messages']['send'] = async ({ body, idempotencyKey, origin = null }) => {
      const key = idempotencyKey ?? ''
      const text = body.text ?? `[${body.media_type ?? 'template'}]`
      const other = await bench.onSend()
      if (other !== undefined) return other
      const id = ids.message()
      await own.commit(async () => {
        if (messages.has(key)) throw new Error(`${key} was sent twice`)
        messages.set(key, { ...QUEUED, id, instanceId: INSTANCE, chat: body.to, idempotencyKey: key })
      })
      if (isDead) return never()
      sent.push({ to: body.to, text, key, atMs: clock.now() })
      said(body.to, { direction: 'out', text })
      await own.commit(async (tx) => {
        const message = messages.get(key)
        if (message) messages.set(key, { ...message, status: 'sent', engineMessageId: id, sentAtMs: clock.now() })
        await tell(tx, 'message.sent', { message_id: id, chat: body.to, source: 'ai', idempotency_key: key }, origin)
      })
      return { kind: 'accepted', engine: 'smv2', messageId: id, replayed: false }
    }

    const subject = {
      id: INSTANCE,
      accountId: ACCOUNT,
      engine,
      network,
      connected: true,
      deleted: false,
    } as const
    const ai = createAi({
      ...{ db: own, clock, ids, jobs, log: silentLog, live: { publish() {} }, random: seededRandom(number) },
      ledger: { inCommit: subscribers.add },
      cursors: createCursors(Buffer.alloc(32)),
      seal: undefined as never,
      refusalOf: async () => null,
      outbound: undefined as never,
      calls: { isReady: async () => false, schedule: () => Promise.reject(new Error('Voice is off.')) },
      instances: {
        subject: async () => subject,
        subscribe() {},
        find: async () => undefined,
        holdOf: () => null,
        engineFor: () => {
          throw new Error('The bench has no engine.')
        },
      },
      fusion: { partnerOf: async () => undefined },
      messages: {
        send,
        async getByKey(_instanceId, key) {
          const message = messages.get(key)
          if (message === undefined) throw new ApiError('not_found', 'None.')
          return message
        },
        thread: async (_instanceId, chat) =>
          ({
            data: (threads.get(chat) ?? []).toReversed().map((one) => ({
              ...{
                type: 'text',
                media: null,
                content: null,
                deletedAtMs: null,
                status: null,
                source: null,
                createdAtMs: 0,
              },
              ...one,
            })),
            nextCursor: null,
          }) as never,
        chatAsFirstGiven: (_read, _instanceId, chat) => Promise.resolve(chat),
        uploads: undefined as never,
      },
      safety: { claim: (tx, claim) => bench.safety(tx, claim), release: async () => {} },
      optOuts: {
        isOptedOut: async (_read, _account, _instance, phone) => optedOut.has(phone),
        optedOutAt: async (_read, _account, _instance, phone) => (optedOut.has(phone) ? clock.now() : null),
        isStopWord: async () => false,
      },
      providers: {
        has: async () => bench.hasKey,
        model: async () => language(),
        failureOf: async (error: unknown) => toProviderFailure(error, 'The provider'),
      } as never,
      knowledge: {
        search: async () => ({ sources: bench.sources, isSure: bench.sources.length > 0, confidence: 0.9 }),
        noteUnanswered: async () => {},
      } as never,
      usage: { add: async () => {} },
      config: { safetyTimezone: 'UTC' },
    })
    return {
      ai,
      subject,
      isDead: () => isDead,
      death,
      tell: (type: string, data: object, origin?: SendOrigin) => db.commit((tx) => tell(tx, type, data, origin)),
      async start() {
        await jobs.recover()
        jobs.start()
      },
      stop: () => (isDead ? undefined : jobs.stop(0)),
    }
  }

  let boots = 0
  let now = boot(boots)
  await now.start()

  return Object.assign(bench, {
    ...{ clock, sent, optedOut, prompts, raw },
    process: () => now,
    /** The process ends, wherever it is, and another one begins. */
    async restart(kill?: Kill) {
      if (now.isDead()) await settle()
      else await now.stop()
      now = boot(++boots, kill)
      await Promise.race([now.start(), now.death])
    },
    async agent(body: object = {}, settings: object = {}) {
      const agent = { name: 'A', provider: 'openai' as const, model: 'gpt-5-mini', ...body }
      const made = await now.ai.agents.create(now.subject, agent)
      await now.ai.settings.update(now.subject, { enabled: true, timezone: 'UTC', debounce_seconds: 2, ...settings })
      return made
    },
    receive(chat: string, text: string, more: object = {}) {
      said(chat, { direction: 'in', text })
      const timestamp = new Date(clock.now()).toISOString()
      const data = {
        chat,
        from: chat,
        from_me: false,
        is_group: false,
        type: 'text',
        text,
        timestamp,
        media: null,
        ...more,
      }
      return now.tell('message.received', data)
    },
    /** Something that went out, such as a message of a campaign. */
    wentOut: (chat: string, message: Omit<Utterance, 'direction'>) => said(chat, { direction: 'out', ...message }),
    person: (chat: string) => now.tell('message.sent', { chat, source: 'console', idempotency_key: null }),
    turns: () => raw.prepare('SELECT * FROM ai_turns ORDER BY seq').all() as any[],
    conversation: (chat: string) => now.ai.conversations.get(now.subject, chat),
    texts: (chat: string) => sent.filter(({ to }) => to === chat).map(({ text }) => text),
    /** Second by second. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        await clock.advance(1_000)
        await settle(12)
      }
    },
    async close() {
      await now.stop()
      await close()
    },
  })
}

function chunksOf({ answer, text, calls = [], breaks, tokens: [input, output] = [100, 20] }: Said): any[] {
  const said = text ?? (answer === undefined ? '' : JSON.stringify(answer))
  const half = Math.ceil(said.length / 2)
  const usage = {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
  const finishReason = { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined }
  const parts = [
    ...(said === ''
      ? []
      : [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: said.slice(0, half) },
        ]),
    ...(breaks ? [{ type: 'error', error: breaks }] : []),
    ...(said === '' || breaks
      ? []
      : [
          { type: 'text-delta', id: '1', delta: said.slice(half) },
          { type: 'text-end', id: '1' },
        ]),
    ...calls.map(({ name, input: args }, at) => ({
      ...{ type: 'tool-call', toolCallId: `call-${at}`, toolName: name },
      input: JSON.stringify(args),
    })),
  ]
  return [
    { type: 'stream-start', warnings: [] },
    ...parts,
    ...(breaks ? [] : [{ type: 'finish', finishReason, usage }]),
  ]
}

const QUEUED: Omit<Message, 'id' | 'instanceId' | 'chat' | 'idempotencyKey'> = {
  ...{ seq: 1, accountId: ACCOUNT, engine: 'smv2', direction: 'out', type: 'text', status: 'queued' },
  ...{ source: 'ai', campaignId: null, origin: null, engineMessageId: null, createdAtMs: 0, dispatchStartedAtMs: 0 },
  ...{
    sentAtMs: null,
    deliveredAtMs: null,
    readAtMs: null,
    failedAtMs: null,
    heldSinceMs: null,
    validUntilMs: null,
    error: null,
  },
}
