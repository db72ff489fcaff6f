import type { JobRun } from '../../kernel/job.ts'
import type { JobQueue } from '../../kernel/jobs.ts'
import type { Begin } from './begin.ts'
import type { AiDeps } from './deps.ts'
import type { Sender } from './send.ts'
import type { Step, TurnQueue } from './step.ts'
import type { Thinker } from './think.ts'
import type { TurnFailure } from './turn-failure.ts'
import { createTurnstile } from './turnstile.ts'

interface TurnInput {
  readonly turnSeq: number
}

interface TurnDeps extends Pick<AiDeps, 'jobs'> {
  readonly begin: Begin
  readonly think: Thinker
  readonly send: Sender
  readonly failed: TurnFailure
}

/** Concurrent turns. One account gets at most half, so slow models of one account do not delay others. */
const CONCURRENCY = 128
/** Longer than all the steps of a model and its tools, each of which has its own limits. */
const DEADLINE_MS = 240_000

/**
 * The job of a turn. It begins, thinks and sends; each step ends with a commit, so a turn resumes after a crash where
 * it was: a stored decision is sent unchanged, and sent parts are not sent again.
 */
export function createTurns({ jobs, begin, think, send, failed }: TurnDeps): TurnQueue {
  const queue: JobQueue<TurnInput> = jobs.define<TurnInput, Step>({
    name: 'ai.turn',
    perLane: 1,
    concurrency: CONCURRENCY,
    deadlineMs: DEADLINE_MS,
    retryDelaysMs: [1_000, 5_000, 30_000, 60_000],
    act: (run, signal) => take(run, signal),
    async record(_tx, _run, step) {
      return step.kind === 'wait' ? { kind: 'again', at: step.until } : { kind: 'done' }
    },
    recordFailure: (tx, { input }) => failed(tx, input.turnSeq),
  })

  const pass = createTurnstile()

  async function take({ input: { turnSeq }, attempt }: JobRun<TurnInput>, signal: AbortSignal): Promise<Step> {
    await pass()
    const begun = await begin(turnSeq)
    const step = begun.kind === 'think' ? await think(begun, signal) : begun
    return step.kind === 'send' ? send(turnSeq, attempt > 1, signal) : step
  }

  return {
    async add(tx, { conversation: { id, instanceId, chat, accountId }, seq, turn, due }) {
      const place = { accountId, subjectId: instanceId, lane: chat, key: `${id}:${turn}` }
      await queue.add(tx, { ...place, runAt: due, input: { turnSeq: seq } })
    },
  }
}
