/** Runs what is added in order: the first immediately, and each of the others in a turn of the event loop of its own. */
export function createTurnQueue(): (act: () => void) => void {
  const waiting: (() => void)[] = []
  let isBusy = false

  function next(): void {
    const act = waiting.shift()
    isBusy = act !== undefined
    if (act === undefined) return
    setImmediate(next)
    act()
  }

  return (act) => {
    waiting.push(act)
    if (!isBusy) next()
  }
}
