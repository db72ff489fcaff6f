import type { Service } from '../service.ts'
import type { Counts } from './tray.ts'
import type { Words } from './words.ts'

export interface Note {
  readonly title: string
  readonly body: string
  /** Where the page opens when it is clicked. */
  readonly route: string
}

interface WatchNeeds {
  readonly words: Words
  readonly onCounts: (counts: Counts) => void
  readonly onNote: (note: Note) => void
}

/** What the tray and the system's notifications say of the service, while nobody looks at the window. */
export function watchService(_service: Service, { onCounts }: WatchNeeds): { stop(): void } {
  onCounts({ connected: 0, total: 0 })
  return { stop: () => {} }
}
