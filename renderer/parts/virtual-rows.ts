import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/vue-virtual'
import { computed, ref, watch } from 'vue'
import { widenRange } from './row-range.ts'

interface VirtualRowsOptions<Row> {
  readonly rows: () => readonly Row[]
  /** The element that scrolls. */
  readonly scroller: () => HTMLElement | null
  /** Height of every row. */
  readonly rowPx: number
  /** Extra rows rendered above and below the visible ones. */
  readonly overscan?: number
  /** Height of what scrolls above the rows. */
  readonly marginPx?: () => number
  /** Free space below the last row. */
  readonly endPx?: () => number
  /** Without it, a row's element is reused for other rows, which is fastest for rows without state. */
  readonly keyOf?: (row: Row) => string
  /** Called while one of the last 20 rows is drawn. It may be called again before more rows arrive. */
  readonly onNearEnd?: () => void
}

const NEAR_END = 20

/** A long list in which only visible rows exist. The caller's element is `relative` and `totalPx` high. */
export function useVirtualRows<Row>(options: VirtualRowsOptions<Row>) {
  const { rows, scroller, rowPx, overscan = 8, marginPx = () => 0, endPx = () => 0, keyOf, onNearEnd } = options
  const size = ref(0)

  function extractReused({ startIndex, endIndex, count }: Range): number[] {
    size.value = Math.max(size.value, endIndex - startIndex + 1 + 2 * overscan)
    const { first, last } = widenRange({ first: startIndex - overscan, last: endIndex }, { size: size.value, count })
    return Array.from({ length: last - first + 1 }, (_, n) => first + n)
  }
  function keyAt(index: number): string | number {
    const row = rows()[index]
    return row !== undefined && keyOf !== undefined ? keyOf(row) : index
  }

  const virtual = useVirtualizer(
    computed(() => ({
      count: rows().length,
      getScrollElement: scroller,
      estimateSize: () => rowPx,
      getItemKey: keyAt,
      rangeExtractor: keyOf === undefined ? extractReused : defaultRangeExtractor,
      scrollMargin: marginPx(),
      paddingEnd: endPx(),
      overscan,
    })),
  )
  const visible = computed(() =>
    virtual.value.getVirtualItems().flatMap(({ index, start, key }) => {
      const row = rows()[index]
      if (row === undefined) return []
      const style = { height: `${rowPx}px`, transform: `translateY(${start - marginPx()}px)` }
      return [{ row, index, style, key: keyOf === undefined ? index % size.value : String(key) }]
    }),
  )
  watch(visible, (drawn) => {
    const last = drawn.at(-1)
    if (last !== undefined && last.index >= rows().length - NEAR_END) onNearEnd?.()
  })
  return { visible, totalPx: computed(() => virtual.value.getTotalSize()) }
}
