interface DayLoad {
  readonly day: string
  readonly sends: number
}

const DAY_MS = 86_400_000

/** Messages of all numbers per day, including days without any, so that weekends show as gaps. */
export function sumDays(instances: readonly { readonly days: readonly DayLoad[] }[]): readonly DayLoad[] {
  const sums = new Map<string, number>()
  for (const { day, sends } of instances.flatMap(({ days }) => days)) sums.set(day, (sums.get(day) ?? 0) + sends)
  const known = [...sums.keys()].toSorted()
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return []
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.parse(first) + index * DAY_MS).toISOString().slice(0, 10)
    return { day, sends: sums.get(day) ?? 0 }
  })
}
