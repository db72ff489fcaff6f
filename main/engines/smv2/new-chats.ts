import type { NewChatMessageCapInfo, SignalDataSet, SignalKeyStore, WASocket } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Evidence } from '../engine.ts'
import type { EngineInstance } from '../instance.ts'

/** How many new chats WhatsApp lets a number start in the current cycle. */
interface Cap {
  readonly used: number
  /** null: it says none. */
  readonly limit: number | null
  /** When WhatsApp said that nothing is left. */
  readonly cappedAtMs: number | null
  readonly endsAtMs: number
}

interface Connection {
  readonly sock: Pick<WASocket, 'fetchNewChatMessageCap'>
  readonly session: { readonly keys: SignalKeyStore }
}

/** What is no key of the library is stored with them. */
const TYPE = 'new-chat-cap'
const ID = 'cap'

/** If WhatsApp names no end of the cycle, the limit is dropped after this time. */
const BELIEVED_MS = 24 * 60 * 60_000
/** A line that connects again and again does not ask each time. */
const ASKED_EVERY_MS = 30 * 60_000

export type NewChats = ReturnType<typeof createNewChats>

/** What is left of the new chats that WhatsApp lets each number start. It says so when asked, and when it changes. */
export function createNewChats({ clock, log }: { clock: Pick<Clock, 'now'>; log: Log }) {
  const caps = new Map<InstanceId, Cap>()
  /** People to whom a first message went since WhatsApp last said how many there were. */
  const started = new Map<InstanceId, Set<string>>()
  const askedAtMs = new Map<InstanceId, number>()

  function of(id: InstanceId): Cap | null {
    const cap = caps.get(id)
    return cap !== undefined && cap.endsAtMs > clock.now() ? cap : null
  }

  const usedOf = (id: InstanceId, { used }: Cap) => used + (started.get(id)?.size ?? 0)

  async function learn({ id }: EngineInstance, keys: SignalKeyStore, info: NewChatMessageCapInfo | null | undefined) {
    if (!info) return
    const cap = capOf(info, clock.now())
    caps.set(id, cap)
    started.delete(id)
    await keys.set({ [TYPE]: { [ID]: cap } } as unknown as SignalDataSet)
  }

  async function ask(instance: EngineInstance, { sock, session }: Connection): Promise<void> {
    askedAtMs.set(instance.id, clock.now())
    try {
      // The library's type leaves out that there may be no answer.
      const info = (await sock.fetchNewChatMessageCap()) as NewChatMessageCapInfo | undefined
      await learn(instance, session.keys, info)
    } catch (error) {
      log.info({ event: 'smv2.new_chats_unknown', instanceId: instance.id, cause: cause(error) })
    }
  }

  const isDue = (id: InstanceId) => clock.now() - (askedAtMs.get(id) ?? -Infinity) >= ASKED_EVERY_MS

  return {
    learn,
    ask,
    /** What was known before the service started, and what WhatsApp says now. */
    async opened(instance: EngineInstance, connection: Connection): Promise<void> {
      const { id } = instance
      if (!caps.has(id)) {
        const known = await storedCap(connection.session.keys)
        if (known !== undefined && !caps.has(id)) caps.set(id, known)
      }
      if (isDue(id)) await ask(instance, connection)
    },
    /** A message went to somebody who does not know the number. */
    async begun(instance: EngineInstance, connection: Connection, person: string): Promise<void> {
      const { id } = instance
      const cap = of(id)
      if (cap === null) return isDue(id) ? ask(instance, connection) : undefined
      const people = started.get(id) ?? new Set()
      started.set(id, people.add(person))
      if (usedOf(id, cap) >= (cap.limit ?? Infinity)) await ask(instance, connection)
    },
    evidence(id: InstanceId): NonNullable<Evidence['newChats']> | null {
      const cap = of(id)
      if (cap === null || cap.limit === null) return null
      return { used: Math.min(usedOf(id, cap), cap.limit), limit: cap.limit, endsAtMs: cap.endsAtMs }
    },
    /** While nothing is left. */
    restriction(id: InstanceId): Evidence['restriction'] {
      const cap = of(id)
      if (cap === null || cap.cappedAtMs === null) return null
      return { kind: USED_UP, sinceMs: cap.cappedAtMs, untilMs: cap.endsAtMs }
    },
    forget(id: InstanceId): void {
      for (const map of [caps, started, askedAtMs]) map.delete(id)
    },
  }
}

/** The kind of the restriction of a number that has used up its new chats. */
export const USED_UP = 'new_chats_used_up'

function capOf(info: NewChatMessageCapInfo, nowMs: number): Cap {
  const endsAtMs = Number(info.cycle_end_timestamp ?? 0) * 1_000
  const isCapped = info.capping_status?.toString() === 'CAPPED'
  const used = Math.max(0, info.used_quota ?? 0)
  const total = info.total_quota ?? 0
  return {
    used,
    // A limit that is passed and not enforced does not apply.
    limit: total > 0 && (isCapped || used < total) ? total : null,
    cappedAtMs: isCapped ? nowMs : null,
    endsAtMs: endsAtMs > nowMs ? endsAtMs : nowMs + BELIEVED_MS,
  }
}

async function storedCap(keys: SignalKeyStore): Promise<Cap | undefined> {
  return (await (keys.get as (type: string, ids: string[]) => Promise<Record<string, Cap>>)(TYPE, [ID]))[ID]
}
