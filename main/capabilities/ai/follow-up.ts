import { TRAITS } from '../../contract/engine-traits.ts'
import type { Tx } from '../../kernel/db.ts'
import { appointmentAt, dueAt, type Due } from '../../kernel/due.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { primaryAgent } from './agent-store.ts'
import { conversationBySeq, isPaused, setFollowUp, takeTurnNumber, type ConversationRow } from './conversation-store.ts'
import type { TemplateSuspension } from '../../engines/templates.ts'
import type { InstanceSubject } from '../handler.ts'
import type { AiDeps } from './deps.ts'
import { afterQuietMs } from './hours.ts'
import type { FollowUpSettings, SettingsStore } from './settings.ts'
import type { TurnQueue } from './step.ts'
import { insertTurn, setDecision, type Part, type StoredDecision, type TurnRow } from './turn-store.ts'

interface FollowUpDeps extends Pick<AiDeps, 'db' | 'clock' | 'jobs' | 'instances' | 'optOuts'> {
  readonly settings: Pick<SettingsStore, 'read' | 'readFollowUp'>
  /** A function, because turns and follow-ups need each other. */
  readonly turns: () => TurnQueue
}

interface Input {
  readonly conversationSeq: number
  /** Any later message or turn cancels it. */
  readonly afterTurn: number
  readonly instanceId: InstanceId
  readonly accountId: AccountId
}

type Result = { readonly again: Due | null }

type Suspension = Pick<TemplateSuspension, 'untilMs'>

export type FollowUps = ReturnType<typeof createFollowUps>

const MINUTE_MS = 60_000
/** official: after this time, only templates can be sent. */
const WINDOW_MS = 24 * 3_600_000
/** Meta may end a suspension early. */
const LOOK_AGAIN_MS = 60 * MINUTE_MS
const DONE: Result = { again: null }

/** Writes again to people who did not answer. Each due row is a job; any activity in the chat cancels it. */
export function createFollowUps({ db, clock, jobs, instances, optOuts, settings: store, turns }: FollowUpDeps) {
  const queue = jobs.define<Input, Result>({
    name: 'ai.follow-up',
    perLane: 1,
    concurrency: 24,
    deadlineMs: 30_000,
    retryDelaysMs: [5_000, 60_000],
    async act({ input }) {
      const instance = await instances.subject(input.accountId, input.instanceId)
      if (instance === undefined || instance.deleted) return DONE
      const suspension = await suspensionOf(instance)
      return db.commit((tx) => begin(tx, input, TRAITS[instance.engine].needsTemplates, suspension))
    },
    async record(_tx, _run, { again }) {
      return again === null ? { kind: 'done' } : { kind: 'again', at: again }
    },
    async recordFailure(tx, { input: { conversationSeq: seq } }) {
      const conversation = await tx.one(conversationBySeq, { seq })
      if (conversation) await tx.run(setFollowUp, { seq, count: conversation.followUps, dueAtMs: null })
    },
  })

  /** Why the follow-up's template cannot be sent now. */
  async function suspensionOf(instance: InstanceSubject): Promise<Suspension | null> {
    const { template } = await store.readFollowUp({ one: db.readOne }, instance.id)
    const { templates } = instances.engineFor(instance)
    if (template === null || templates?.suspensionOf === undefined) return null
    try {
      return await templates.suspensionOf(instance, template.name, template.language)
    } catch {
      // The end is asked for only during a suspension.
      return { untilMs: null }
    }
  }

  async function begin(
    tx: Tx,
    { conversationSeq, afterTurn }: Input,
    isOfficial: boolean,
    suspension: Suspension | null,
  ): Promise<Result> {
    const conversation = await tx.one(conversationBySeq, { seq: conversationSeq })
    if (conversation === undefined) return DONE
    const { seq, instanceId, accountId, chat, followUps: count, followUpAtMs, nextTurn } = conversation
    if (followUpAtMs === null || nextTurn !== afterTurn + 1) return DONE
    const now = clock.now()
    if (followUpAtMs > now) return { again: dueAt(clock, followUpAtMs) }
    const cancel = async () => {
      await tx.run(setFollowUp, { seq, count, dueAtMs: null })
      return DONE
    }
    const settings = await store.read(tx, instanceId)
    const followUp = await store.readFollowUp(tx, instanceId)
    const isOff = !settings.enabled || !followUp.enabled || count >= followUp.max_followups
    if (isOff || isPaused(conversation, now)) return cancel()
    if (await optOuts.isOptedOut(tx, accountId, instanceId, chat)) return cancel()
    const agent = await tx.one(primaryAgent, { instanceId })
    if (agent === undefined) return cancel()
    const quietUntilMs = afterQuietMs(followUp.quiet_hours, settings.timezone, now)
    if (quietUntilMs > now) {
      await tx.run(setFollowUp, { seq, count, dueAtMs: quietUntilMs })
      return { again: appointmentAt(quietUntilMs) }
    }
    const isOutside = isOfficial && now - (conversation.lastInboundAtMs ?? 0) > WINDOW_MS
    const part = fixedPart(followUp, isOutside)
    if (isOutside && part === null) return cancel()
    if (suspension !== null && part?.kind === 'template') {
      const againMs = Math.min(suspension.untilMs ?? Infinity, now + LOOK_AGAIN_MS)
      await tx.run(setFollowUp, { seq, count, dueAtMs: againMs })
      return { again: dueAt(clock, againMs) }
    }
    await tx.run(setFollowUp, { seq, count, dueAtMs: null })
    await openTurn(tx, conversation, part, agent.id, now)
    return DONE
  }

  /** @param part null: the agent writes the text. */
  async function openTurn(tx: Tx, conversation: ConversationRow, part: Part | null, agentId: string, now: number) {
    const { seq: conversationSeq, nextTurn: turn, instanceId, chat, accountId } = conversation
    const row = { seq: await tx.next('ai_turns'), conversationSeq, turn, instanceId, chat, accountId }
    await tx.run(insertTurn, { ...row, kind: 'follow_up', question: '', now, dueAtMs: now })
    await tx.run(takeTurnNumber, { seq: conversationSeq, next: turn + 1 })
    if (part !== null) {
      const reply = part.kind === 'text' ? part.text : null
      const decision: StoredDecision = { parts: [part], becomes: 'answered', reply, sources: [], toolCalls: [] }
      await tx.run(setDecision, {
        ...{ seq: row.seq, decision: JSON.stringify(decision), reason: null, detail: null, source: 'none' },
        ...{ stageId: conversation.stageId, agentId, durationMs: 0 },
      })
    }
    await turns().add(tx, { conversation, seq: row.seq, turn, due: dueAt(clock, now) })
  }

  return {
    /** Called after an agent's answer, in the commit that ends its turn. */
    async schedule(tx: Tx, { conversationSeq, instanceId, accountId, chat, kind, turn }: TurnRow): Promise<void> {
      const followUp = await store.readFollowUp(tx, instanceId)
      const conversation = await tx.one(conversationBySeq, { seq: conversationSeq })
      if (conversation === undefined) return
      const count = kind === 'follow_up' ? conversation.followUps + 1 : 0
      // The person has written meanwhile, and that turn will schedule its own follow-up.
      const isOver = conversation.nextTurn !== turn + 1
      if (!followUp.enabled || count >= followUp.max_followups || isOver) {
        await tx.run(setFollowUp, { seq: conversationSeq, count, dueAtMs: null })
        return
      }
      const { delays_minutes: delays } = followUp
      const delay = delays[Math.min(count, delays.length - 1)] ?? 60
      const dueAtMs = clock.now() + delay * MINUTE_MS
      await tx.run(setFollowUp, { seq: conversationSeq, count, dueAtMs })
      const place = { accountId, subjectId: instanceId, lane: chat, key: `${conversation.id}:${turn}` }
      const input = { conversationSeq, afterTurn: turn, instanceId, accountId }
      await queue.add(tx, { ...place, runAt: dueAt(clock, dueAtMs), input })
    },
  }
}

function fixedPart({ message, template }: FollowUpSettings, isOutside: boolean): Part | null {
  if (isOutside) return template && { kind: 'template', ...template }
  return message === null ? null : { kind: 'text', text: message }
}
