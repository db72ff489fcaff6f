/**
 * The longest stretch for which the event loop was held up while something ran, in milliseconds of processor time of
 * this thread: a machine that is busy with something else makes it no longer.
 */
export async function longestStretch(act: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = spent()
  const look = () => {
    longest = Math.max(longest, spent() - before)
    if (!isOver) setImmediate(look)
    before = spent()
  }
  setImmediate(look)
  try {
    await act()
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  } finally {
    isOver = true
  }
  return longest
}

function spent(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The same of several runs: the shortest, because a garbage collection or a compilation is nobody's fault. */
export async function shortestOf(runs: number, act: () => Promise<unknown>, enough: number): Promise<number> {
  let shortest = Infinity
  for (let run = 0; run < runs && shortest > enough; run++) shortest = Math.min(shortest, await longestStretch(act))
  return shortest
}

/** Processor time of `work` on an ordinary desktop computer of 2024, in milliseconds. */
const ORDINARY_MS = 8
const ROUNDS = 10

/**
 * How many times slower than an ordinary desktop computer this machine is now, at least 1. A shared machine has less of
 * its caches and cores for us, which makes processor time longer as well.
 */
export function slowness(): number {
  const before = spent()
  for (let round = 0; round < ROUNDS; round++) work()
  return Math.max(1, (spent() - before) / ROUNDS / ORDINARY_MS)
}

const ROWS = JSON.stringify(
  Array.from({ length: 5_000 }, (_, at) => ({
    ...{ id: `id-${at}`, name: `Person number ${at}`, phone: `1202555${String(at).padStart(4, '0')}` },
    ...{ list: [at, at + 1, at + 2], isActive: true, nested: { number: at, text: String(at) } },
  })),
)

/** What services do: parse, sort and write. */
function work(): string {
  const rows = JSON.parse(ROWS) as { readonly name: string }[]
  return JSON.stringify(rows.sort((a, b) => (a.name < b.name ? -1 : 1)))
}
