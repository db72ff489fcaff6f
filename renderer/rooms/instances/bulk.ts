import type { InstanceRecord } from '../../../main/contract/instance.ts'

export type BulkKind = 'restart' | 'disconnect'

/** What can be done to many at once: only what can be taken back, or puts itself right again. */
export const BULK: Readonly<
  Record<
    BulkKind,
    { readonly icon: string; readonly isFor: (instance: Pick<InstanceRecord, 'engine' | 'connected'>) => boolean }
  >
> = {
  restart: { icon: 'i-lucide-rotate-cw', isFor: ({ engine }) => engine === 'smv2' },
  disconnect: { icon: 'i-lucide-unplug', isFor: ({ engine, connected }) => engine === 'smv2' && connected },
}

/** What became of one of many. */
export interface Outcome {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly message?: string
}

interface BulkRun {
  readonly ids: readonly string[]
  readonly act: (id: string) => Promise<unknown>
  readonly tell: (outcome: Outcome) => void
  /** Whoever closes the dialog stops what has not begun. */
  readonly isStopped: () => boolean
  readonly atOnce?: number
}

/** Does one thing to many, a few at once; one that fails does not stop the others. */
export async function runAll({ ids, act, tell, isStopped, atOnce = 4 }: BulkRun): Promise<void> {
  const waiting = [...ids]
  async function worker(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined && !isStopped(); id = waiting.shift()) {
      tell({ id, state: 'running' })
      try {
        await act(id)
        tell({ id, state: 'done' })
      } catch (error) {
        tell({ id, state: 'failed', message: error instanceof Error ? error.message : String(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, worker))
}
