import {
  createSafety,
  type ClaimResult,
  type OwnLimits,
  type SafetyState,
} from '../../../main/capabilities/safety/index.ts'
import type { SafetySettings } from '../../../main/capabilities/safety/limits.ts'
import { insertOutgoing, insertReceived, moveStatus } from '../../../main/capabilities/messages/store.ts'
import { readConfig } from '../../../main/config.ts'
import type { Evidence } from '../../../main/engines/engine.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { createSubscribers } from '../../../main/kernel/ledger.ts'
import { HEALTHY } from '../../support/engine.ts'
import { instancesRoom, type InstancesRoom, type MadeInstance } from '../../support/instances.ts'

export const DEFAULTS: SafetySettings = {
  ...readConfig({ argv: [], env: {}, platform: 'linux', homedir: '/', readFile: () => null }),
  safetyTimezone: 'UTC',
}

const CONTENT = { type: 'text', text: 'Hi', media: null, quotedMessageId: null }

type Side = Pick<MadeInstance, 'id'>

export interface SafetyBench {
  readonly room: InstancesRoom
  /** The settings, which may change. */
  readonly config: { -readonly [K in keyof SafetySettings]: SafetySettings[K] }
  /** A live number. */
  pair(number?: string, wish?: Parameters<InstancesRoom['connected']>[1]): Promise<MadeInstance>
  /** A message is accepted for sending. @param ends what becomes of it. */
  send(side: Side, phone: string, ends?: 'sent' | 'failed'): Promise<void>
  receive(side: Side, phone: string): Promise<void>
  claim(side: Side, phone: string, limits?: OwnLimits): Promise<ClaimResult>
  release(side: Side, phone: string): Promise<void>
  /** A granted message leaves, or what keeps it back. */
  sendNext(side: Side, limits?: OwnLimits): Promise<ClaimResult>
  state(side: Side): Promise<SafetyState>
  codes(side: Side): Promise<string[]>
  refused(side: Side, providerCode: number): Promise<void>
  says(evidence: Partial<Evidence>): void
  /** What Meta says of the business of an official number. @param tier null: it has never said a limit. */
  belongs(side: Side, key: string, tier: string | null, source?: 'number' | 'last_known'): void
  /** The last message that was accepted turns out not to be delivered. */
  undelivered(side: Side): Promise<void>
  restart(): void
  prune(): Promise<void>
  readonly safety: ReturnType<typeof createSafety>
  close(): Promise<void>
}

/** The safety room over the instances room, on a real database; the test moves the clock and says what engines know. */
export async function safetyBench(settings: Partial<SafetySettings> = {}): Promise<SafetyBench> {
  const room = await instancesRoom({ live: true })
  const { database, clock, accountId } = room
  const { db } = database
  const config = { ...DEFAULTS, ...settings }
  const subscribers = createSubscribers()
  const open = () =>
    createSafety({
      ...{ db, clock, ledger: { inCommit: subscribers.add } },
      ...{ instances: room.instances, config },
    })
  let safety = open()
  let [seq, people] = [0, 0]

  const accept = async (id: InstanceId, chat: string, ends: 'sent' | 'failed') => {
    const { engine } = await room.instances.get(id)
    const out = { seq: ++seq, id: `m${seq}`, accountId, instanceId: id, engine, chat, now: clock.now() }
    const rest = {
      ...CONTENT,
      content: null,
      source: 'api',
      idempotencyKey: null,
      campaignId: null,
      origin: null,
      isGroup: 0,
      forwarded: null,
    } as const
    await db.commit(async (tx) => {
      await safety.accepted(tx, { ...out, atMs: out.now })
      await tx.run(insertOutgoing, { ...out, ...rest })
      const move = { seq: out.seq, status: ends, engineMessageId: null, errorProviderCode: null }
      const times = { sentAt: null, deliveredAt: null, readAt: null, failedAt: null }
      const error = ends === 'failed' ? 'undeliverable' : null
      await tx.run(moveStatus, { ...move, ...times, errorCode: error, errorMessage: error })
    })
  }
  const arrive = (id: InstanceId, chat: string) => {
    const from = { accountId, instanceId: id, direction: 'in', chat, sender: chat, createdAt: clock.now() } as const
    const none = { source: null, status: null, sentAt: null, pushName: null, participant: null, content: null } as const
    const flags = { isGroup: 0, viewOnce: 0, forwarded: null } as const
    const ids = { seq: ++seq, id: `m${seq}`, engineMessageId: `w${seq}` }
    return db.commit(async (tx) => {
      await tx.run(insertReceived, { ...from, ...none, ...flags, ...ids, ...CONTENT })
    })
  }

  const bench: SafetyBench = {
    ...{ room, config },
    get safety() {
      return safety
    },
    pair: (number = '12025550100', wish = {}) => room.connected(number, { network: 'live', ...wish }),
    send: ({ id }, phone, ends = 'sent') => accept(id, phone, ends),
    receive: ({ id }, phone) => arrive(id, phone),
    async claim({ id: instanceId }, phone, limits = {}) {
      const cold = (await safety.isCold(db, instanceId, [phone])).has(phone)
      return db.commit((tx) => safety.claim(tx, { accountId, instanceId, phone, cold, atMs: clock.now(), limits }))
    },
    release: ({ id: instanceId }, phone) => db.commit((tx) => safety.release(tx, { instanceId, phone })),
    async sendNext(side, limits) {
      const phone = `1202556${String(++people).padStart(4, '0')}`
      const result = await bench.claim(side, phone, limits)
      if (result.kind === 'granted') await bench.send(side, phone)
      return result
    },
    async state({ id }) {
      const state = await safety.state(db, accountId, id)
      if (!state) throw new Error('there is no such instance')
      return state
    },
    codes: async (side) => (await bench.state(side)).reasons.map(({ code }) => code),
    refused: ({ id }, providerCode) => db.commit((tx) => safety.refused(tx, id, providerCode)),
    says(evidence) {
      for (const engine of [room.smv2, room.official]) engine.script.evidence = { ...HEALTHY, ...evidence }
    },
    belongs({ id }, key, tier, source = 'number') {
      const limit = tier === null ? null : { tier, source, atMs: clock.now() }
      room.official.script.evidenceOf.set(id, { portfolio: { key, id: key, limit } })
    },
    async undelivered({ id: instanceId }) {
      const error = { code: 'undeliverable', message: '', provider_code: null }
      const event = {
        type: 'message.failed',
        instanceId,
        createdAtMs: clock.now(),
        data: { message_id: `m${seq}`, error },
      }
      await db.commit((tx) => subscribers.run(tx, event as never))
    },
    restart() {
      room.restarted()
      safety = open()
    },
    async prune() {
      const step = safety.retention.begin()
      while (await step());
    },
    close: () => room.close(),
  }
  return bench
}
