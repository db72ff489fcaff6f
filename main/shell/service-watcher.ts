import type { Notice } from '../contract/notice.ts'
import type { InstanceStatus } from '../contract/shapes.ts'
import type { NoteKind } from '../contract/window-bridge.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { Counts } from './counts.ts'
import { createNoteBatcher } from './note-batcher.ts'
import { NOTE_BUILDERS, type Note } from './notes.ts'
import type { Words } from './words/shape.ts'

interface WatchDeps {
  readonly clock: Pick<Clock, 'now' | 'mono' | 'after'>
  readonly log: Log
  readonly words: Words
  readonly read: (path: string) => Promise<unknown>
  readonly onNotice: (listener: (notice: Notice) => void) => () => void
  /** Whether notifications of this kind are switched on, and nobody is looking at the window. */
  readonly isWanted: (kind: NoteKind) => boolean
  readonly onCounts: (counts: Counts) => void
  readonly onNote: (note: Note) => void
}

/** Many numbers change together when a network fails; the tray is then redrawn once. */
const DRAW_MS = 400
const LOST = ['disconnected', 'auth_failed', 'passkey_required'] as const satisfies readonly InstanceStatus[]

/** Keeps the tray, the badge and notifications up to date while nobody looks at the window. */
export function watchService(deps: WatchDeps): { stop(): void } {
  const { clock, log, words, read, isWanted, onCounts, onNote } = deps
  let timer: Timer | undefined
  const batcher = createNoteBatcher<NoteKind>({
    clock,
    async notify(kind, gathered) {
      if (!isWanted(kind)) return false
      const note = await NOTE_BUILDERS[kind](gathered, { words, read }).catch(logFailure)
      if (note !== undefined) onNote(note)
      return note !== undefined
    },
  })

  function logFailure(error: unknown): undefined {
    log.warn({ event: 'window.watch', cause: cause(error) })
  }

  async function count(): Promise<void> {
    // The contract of the service room defines its shape.
    const overview = (await read('/v1/console/overview')) as
      | { readonly instances: { readonly total: number; readonly by_status: Partial<Record<InstanceStatus, number>> } }
      | undefined
    if (overview === undefined) return
    const { total, by_status: byStatus } = overview.instances
    const lost = LOST.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0)
    onCounts({ total, connected: byStatus.connected ?? 0, lost })
  }

  function onNotice(notice: Notice): void {
    const kind = kindOf(notice)
    const thing = notice.topic === 'events' ? notice.instance_id : notice.id
    if (kind !== undefined && thing !== undefined) batcher.add(kind, thing)
    if (notice.topic === 'instances') {
      timer ??= clock.after(DRAW_MS, () => {
        timer = undefined
        count().catch(logFailure)
      })
    }
  }

  const unsubscribe = deps.onNotice(onNotice)
  count().catch(logFailure)
  return {
    stop() {
      unsubscribe()
      timer?.cancel()
      batcher.stop()
    },
  }
}

/** The kind of notification that a notice may cause. */
function kindOf({ topic, type }: Notice): NoteKind | undefined {
  switch (`${topic} ${type ?? ''}`) {
    case 'events instance.disconnected':
    case 'events instance.auth_failed':
      return 'lost'
    case 'events message.received':
      return 'messages'
    case 'deliveries exhausted':
    case 'webhooks deactivated':
      return 'deliveries'
    default:
      return undefined
  }
}
