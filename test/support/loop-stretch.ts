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
