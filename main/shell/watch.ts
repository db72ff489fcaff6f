import type { Notice } from '../contract/notice.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import { cause, type Log } from '../kernel/log.ts'
import type { Counts } from './tray.ts'
import type { Words } from './words.ts'

interface Note {
  readonly title: string
  readonly body: string
  /** Where the page opens when it is clicked. */
  readonly route: string
}

interface WatchNeeds {
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  readonly words: Words
  /** An operation, read as the person at the window: its answer, or undefined where there is none. */
  readonly read: (path: string) => Promise<unknown>
  readonly onNotice: (hear: (notice: Notice) => void) => () => void
  readonly onCounts: (counts: Counts) => void
  readonly onNote: (note: Note) => void
}

/** Many numbers change at once when a network goes; the tray is drawn once for all of them. */
const GATHER_MS = 400
const LOST: ReadonlySet<string | undefined> = new Set(['instance.disconnected', 'instance.auth_failed'])

/** What the tray and the system's notifications say of the service, while nobody looks at the window. */
export function watchService(needs: WatchNeeds): { stop(): void } {
  const { clock, log, words, read, onCounts, onNote } = needs
  let timer: Timer | undefined

  const quietly = (act: () => Promise<void>) => {
    act().catch((error: unknown) => log.warn({ event: 'window.watch', cause: cause(error) }))
  }

  async function count(): Promise<void> {
    // Its shape is the contract's (account room).
    const overview = (await read('/v1/console/overview')) as
      | { readonly instances: { readonly total: number; readonly by_status: Readonly<Record<string, number>> } }
      | undefined
    if (overview === undefined) return
    const { total, by_status: byStatus } = overview.instances
    onCounts({ connected: byStatus['connected'] ?? 0, total })
  }

  async function tellOfLoss(id: string): Promise<void> {
    const instance = (await read(`/v1/instances/${id}`)) as { readonly name: string } | undefined
    if (instance === undefined) return
    onNote({ title: words.lost.title, body: words.lost.body(instance.name), route: `/instances/${id}` })
  }

  function hear({ topic, type, instance_id: instanceId }: Notice): void {
    if (topic === 'instances') {
      timer ??= clock.after(GATHER_MS, () => {
        timer = undefined
        quietly(count)
      })
    }
    if (topic === 'events' && LOST.has(type) && instanceId !== undefined) quietly(() => tellOfLoss(instanceId))
  }

  const unhear = needs.onNotice(hear)
  quietly(count)
  return {
    stop() {
      unhear()
      timer?.cancel()
    },
  }
}
