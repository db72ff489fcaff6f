import { ref, shallowRef } from 'vue'
import { asProblem, type Problem } from '../../app/problem.ts'

interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}

/** A list that loads pages while scrolling. A newer load replaces a running one. */
export function usePagedList<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>) {
  const rows = shallowRef<readonly Row[]>()
  const problem = ref<Problem>()
  const hasMore = ref(false)
  let next: string | null = null
  let isReading = false
  let turn = 0

  async function take(cursor: string | undefined): Promise<void> {
    const mine = ++turn
    isReading = true
    const before = cursor === undefined ? [] : (rows.value ?? [])
    let found: readonly Row[] = []
    try {
      // A search covers only a part of a long list at a time.
      for (let from: string | undefined | null = cursor; found.length < PAGE && from !== null;) {
        const page: Page<Row> = await read(from)
        if (mine !== turn) return
        found = [...found, ...page.data]
        from = page.next_cursor
        if (found.length > 0 || from === null) rows.value = [...before, ...found]
        next = from
        hasMore.value = next !== null
        problem.value = undefined
      }
    } catch (error) {
      if (mine === turn) problem.value = asProblem(error)
    } finally {
      if (mine === turn) isReading = false
    }
  }

  return {
    rows,
    problem,
    hasMore,
    load: () => take(undefined),
    /** Reads the next page, if there is one. */
    async more(): Promise<void> {
      if (next !== null && !isReading) await take(next)
    },
    /** Only the beginning of the list is kept current, so that a person who scrolled far does not lose their place. */
    async refresh(): Promise<void> {
      if (rows.value !== undefined && rows.value.length <= PAGE && !isReading) await take(undefined)
    },
  }
}

export const PAGE = 100
