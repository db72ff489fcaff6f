import type { InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { reasonToNote } from './callback-catalogue.ts'

export type CallbackNotes = ReturnType<typeof createCallbackNotes>

/** Limit of names that are counted separately. All others share one counter. */
const MOST_NAMES = 200
const NAME_LENGTH = 80
const OTHERS = 'others'

/** Counts callback content that Switchboard ignores. Kept in memory, so the counts start again with the service. */
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
        // Logs the 1st, 10th, 100th and so on, because a field that comes with every message would fill the log.
        if (!/^10*$/.test(String(count))) continue
        const reason = reasonToNote(name) ?? null
        if (reason === null) log.warn({ event: 'official.callback_undocumented', instanceId, name, count })
        else log.info({ event: 'official.callback_noted', instanceId, name, count, reason })
      }
    },
    /** How often each name came since the start, most frequent first. */
    counts: (): Readonly<Record<string, number>> =>
      Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one)),
  }
}
