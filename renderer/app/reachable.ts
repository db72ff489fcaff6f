import { useAccess } from './access.ts'
import { entryOf } from './entries.ts'

/** @returns whether a path of the window leads to a screen that this person may use. */
export function useReachable(): (to: string) => boolean {
  const access = useAccess()
  return (to) => {
    const entry = entryOf(to.split('?')[0] ?? to)
    return entry === undefined || access.shows(entry)
  }
}
