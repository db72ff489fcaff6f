/** What waits, in the order of its turns: owners take turns, however much each of them has waiting. */
export interface FairQueue<T> {
  /**
   * @returns what there is no room for: the item itself, or the last one of an owner with more that has to give way;
   * undefined if all wait.
   */
  add(owner: string, item: T): T | undefined
  /** Takes the first item of the owner whose turn it is. */
  next(): T | undefined
  /** @returns false: it does not wait. */
  remove(item: T): boolean
  /** Takes everything. */
  clear(): T[]
}

export interface FairQueueLimits {
  readonly inAll: number
  readonly perOwner: number
}

/** Bounds what waits, in all and for each owner. When it is full, owners with the most give way to those with less. */
export function createFairQueue<T>({ inAll, perOwner }: FairQueueLimits): FairQueue<T> {
  /** In the order of their turns; none is empty. */
  const queues = new Map<string, T[]>()
  let count = 0
  let lastServed: string | undefined

  /** Takes the last item of the owner with the most, if that leaves it no fewer than the one who asks will have. */
  function makeRoom(hasWaiting: number): T | undefined {
    const most = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (most.length <= hasWaiting + 1) return undefined
    count--
    return most.pop()
  }

  return {
    add(owner, item) {
      const items = queues.get(owner) ?? []
      if (items.length >= perOwner) return item
      const given = count < inAll ? undefined : makeRoom(items.length)
      if (count >= inAll) return item
      items.push(item)
      queues.set(owner, items)
      count++
      return given
    },
    next() {
      // An owner whose last item was just taken may be back already.
      const owners = [...queues.keys()]
      const owner = owners.find((one) => one !== lastServed) ?? owners[0]
      if (owner === undefined) return undefined
      const items = queues.get(owner) ?? []
      const item = items.shift()
      lastServed = owner
      // To the end of the turns, or out of them.
      queues.delete(owner)
      if (items.length > 0) queues.set(owner, items)
      count--
      return item
    },
    remove(item) {
      for (const [owner, items] of queues) {
        const at = items.indexOf(item)
        if (at === -1) continue
        items.splice(at, 1)
        if (items.length === 0) queues.delete(owner)
        count--
        return true
      }
      return false
    },
    clear() {
      const all = [...queues.values()].flat()
      queues.clear()
      count = 0
      return all
    },
  }
}
