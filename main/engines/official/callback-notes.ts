import type { InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { reasonToNote } from './callback-catalogue.ts'

export type CallbackNotes = ReturnType<typeof createCallbackNotes>

/** Most names that are counted apart. All others are counted together. */
const MOST_NAMES = 200
const NAME_LENGTH = 80
const OTHERS = 'others'

/** Counts what Meta reports and nothing here acts on. In memory: since the start of the service. */
export function createCallbackNotes(log: Log) {
  const counts = new Map<string, number>()

  return {
    /** @param names of fields, or of kinds within a field. */
    note(instanceId: InstanceId, names: readonly string[]): void {
      for (const given of names) {
        const short = given.replaceAll(/[^\w.]/g, '_').slice(0, NAME_LENGTH)
        const name = counts.has(short) || counts.size < MOST_NAMES ? short : OTHERS
        const count = (counts.get(name) ?? 0) + 1
        counts.set(name, count)
        // The 1st, 10th, 100th …: a field that comes with every message must not fill the log.
        if (!/^10*$/.test(String(count))) continue
        const reason = reasonToNote(name) ?? null
        if (reason === null) log.warn({ event: 'official.callback_undocumented', instanceId, name, count })
        else log.info({ event: 'official.callback_noted', instanceId, name, count, reason })
      }
    },
    /** How often each came since the start, the most frequent first. */
    counts: (): Readonly<Record<string, number>> =>
      Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one)),
  }
}
