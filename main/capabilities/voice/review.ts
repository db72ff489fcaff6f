import type { CallStatus } from '../../contract/voice.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Tx } from '../../kernel/db.ts'
import type { JobOutcome, JobRun } from '../../kernel/job.ts'
import type { JobQueue } from '../../kernel/jobs.ts'
import { cause } from '../../kernel/log.ts'
import type { Mail, MailOutcome } from '../../kernel/mailer.ts'
import { callById, linesOf, setReview, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { readSetup, type VoiceSetup } from './setup.ts'
import { asText, coachingInstructions, extractCoaching, extractSummary, SUMMARY_INSTRUCTIONS } from './summary.ts'

interface Review {
  readonly summary: string | null
  readonly summaryBy: 'model' | 'extract' | null
  readonly coaching: readonly string[] | null
}

interface ReviewDeps extends Pick<
  VoiceDeps,
  'db' | 'clock' | 'agents' | 'instances' | 'log' | 'mailer' | 'jobs' | 'timeZoneOf'
> {
  readonly setup: Pick<VoiceSetup, 'read'>
  readonly publish: (call: StoredCall) => void
}

const COACHING_NOTES = 3

/** Texts for emails. */
const OUTCOME_WORDS = {
  scheduled: 'not made yet',
  dialing: 'not answered yet',
  ringing: 'not answered yet',
  in_progress: 'not over yet',
  completed: 'completed',
  no_answer: 'nobody answered',
  busy: 'the line was busy',
  rejected: 'declined',
  failed: 'broke off',
  canceled: 'canceled',
} as const satisfies Record<CallStatus, string>

/** For example `1 March 2026 at 09:30 (America/Sao_Paulo)`. */
const timeIn = (timeZone: string, atMs: number): string =>
  `${new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'long', timeStyle: 'short' }).format(atMs)} (${timeZone})`

/** Follow-up of a call: the summary, coaching notes, and the emails with them. */
export function createReview(deps: ReviewDeps) {
  const { db, agents, instances, log, mailer, jobs, setup, publish, timeZoneOf } = deps

  const mails = jobs.define<{ callId: string; to: string }, MailOutcome>({
    name: 'voice.mail',
    // After a crash, it is unknown whether the server accepted the email, and not every server drops a repeat with
    // the same Message-ID. Losing the email is the smaller problem, because the console shows the same content with
    // the call.
    isAtMostOnce: true,
    ...{ perLane: 2, concurrency: 4, deadlineMs: 90_000, retryDelaysMs: [60_000, 600_000, 3_600_000, 6 * 3_600_000] },
    async act({ input }) {
      const { accountId, mail } = await mailOf(input)
      return mailer.send(accountId, mail)
    },
    record: async (_tx, { input }, outcome): Promise<JobOutcome> => {
      if (outcome.kind === 'sent') return { kind: 'done' }
      log.warn({ event: 'voice.mail_not_sent', callId: input.callId, outcome: outcome.kind })
      // It may have arrived: a duplicate would be worse than a missing email.
      if (outcome.kind === 'unknown') return { kind: 'failed', error: outcome.error }
      return outcome.kind === 'refused'
        ? { kind: 'failed', error: outcome.error }
        : { kind: 'retry', error: outcome.error }
    },
  })

  async function mailOf({ callId, to }: { callId: string; to: string }): Promise<{ accountId: AccountId; mail: Mail }> {
    const call = await db.readOne(callById, { id: callId })
    if (call === undefined) throw new Error('The call is gone.')
    const instance = await instances.find({ one: db.readOne }, call.accountId, call.instanceId)
    const who = (call.direction === 'outbound' ? call.toNumber : call.fromNumber) ?? 'a visitor of your page'
    const lines = await db.read(linesOf, { callId })
    const zone = await timeZoneOf({ one: db.readOne }, call.accountId)
    const beganAt = timeIn(zone, call.startedAtMs ?? call.scheduledAtMs)
    const text = [
      `${call.direction === 'outbound' ? 'Call to' : 'Call from'} ${who}, ${instance?.name ?? 'an instance'}`,
      `Began: ${beganAt}. Outcome: ${OUTCOME_WORDS[call.status]}.`,
      ...(call.gateway === 'sandbox' ? ['This call was simulated: nobody was called.'] : []),
      '',
      call.summary ?? '',
      ...notesOf(call).map((note) => `- ${note}`),
      '',
      asText(lines),
    ]
    const mail: Mail = {
      to: [to],
      subject: `Call with ${who}: ${OUTCOME_WORDS[call.status]}`,
      text: text.join('\n'),
      messageId: `call-${callId}-${Buffer.from(to).toString('hex')}@switchboard.local`,
    }
    return { accountId: call.accountId, mail }
  }

  async function make({ input }: JobRun<{ callId: string }>): Promise<Review> {
    const call = await db.readOne(callById, { id: input.callId })
    if (call === undefined) return { summary: null, summaryBy: null, coaching: null }
    const { settings } = await setup.read(call.instanceId)
    const lines = await db.read(linesOf, { callId: call.id })
    const told = { lines, durationMs: call.durationMs ?? 0, status: call.status, reason: call.endReason }
    if (call.answeredAtMs === null) return { summary: null, summaryBy: null, coaching: null }
    const byModel = settings.summary_enabled ? await complete(call, SUMMARY_INSTRUCTIONS, asText(lines)) : undefined
    // Calls of a person at the console are not transcribed, so there is nothing to coach.
    const isCoached = settings.coach_enabled && call.agentId !== null
    return {
      summary: settings.summary_enabled ? (byModel ?? extractSummary(told)) : null,
      summaryBy: settings.summary_enabled ? (byModel === undefined ? 'extract' : 'model') : null,
      coaching: isCoached ? await coach(call, told) : null,
    }
  }

  async function coach(call: StoredCall, told: Parameters<typeof extractCoaching>[0]): Promise<readonly string[]> {
    const agent = call.agentId === null ? undefined : await agents.find(call.accountId, call.instanceId, call.agentId)
    const written = agent && (await complete(call, coachingInstructions(agent.systemPrompt), asText(told.lines)))
    const notes = (written ?? '')
      .split('\n')
      .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, '').trim())
      .filter(Boolean)
    return notes.length >= COACHING_NOTES ? notes.slice(0, COACHING_NOTES) : extractCoaching(told)
  }

  /** @returns undefined without a model, or if it fails: the summary is then made from the transcript alone. */
  async function complete(call: StoredCall, instructions: string, text: string): Promise<string | undefined> {
    const { agentId, accountId, instanceId } = call
    if (agentId === null || text === '') return undefined
    try {
      const written = await agents.complete({ accountId, instanceId, agentId }, instructions, text)
      return written?.trim() || undefined
    } catch (error) {
      log.warn({ event: 'voice.model_summary_failed', callId: call.id, cause: cause(error) })
      return undefined
    }
  }

  const reviews: JobQueue<{ callId: string }> = jobs.define<{ callId: string }, Review>({
    name: 'voice.review',
    ...{ perLane: 2, concurrency: 20, deadlineMs: 120_000, retryDelaysMs: [5_000, 60_000] },
    act: make,
    async record(tx, { input }, { summary, summaryBy, coaching }): Promise<JobOutcome> {
      const { callId: id } = input
      await tx.run(setReview, { id, summary, summaryBy, coaching: coaching === null ? null : JSON.stringify(coaching) })
      const call = await tx.one(callById, { id })
      if (call !== undefined) {
        if (call.answeredAtMs !== null) await addMails(tx, call)
        tx.afterCommit(() => publish(call))
      }
      return { kind: 'done' }
    },
  })

  async function addMails(tx: Tx, call: StoredCall): Promise<void> {
    const { settings } = await readSetup(tx, call.instanceId)
    if (!settings.summary_enabled) return
    for (const to of settings.summary_emails) {
      await mails.add(tx, {
        ...{ accountId: call.accountId, subjectId: call.instanceId, lane: 'mail', key: `${call.id}:${to}` },
        input: { callId: call.id, to },
      })
    }
  }

  return {
    /** Runs in the commit that ends a call. */
    add: async (tx: Tx, call: StoredCall): Promise<void> => {
      await reviews.add(tx, {
        ...{ accountId: call.accountId, subjectId: call.instanceId, key: call.id },
        input: { callId: call.id },
      })
    },
  }
}

export function notesOf({ coaching }: Pick<StoredCall, 'coaching'>): string[] {
  // This room stored it.
  return coaching === null ? [] : (JSON.parse(coaching) as string[])
}
