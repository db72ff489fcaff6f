/** Places that accounts, or networks, share. An owner may keep a place for as long as its work takes. */
interface Pool {
  readonly inAll: number
  readonly used: number
}

/** A small pool keeps places for so many owners that hold none, or half of its places. */
const NEWCOMERS = 10

/**
 * Whether an owner may take one more place. The first is never refused while one is free. For another, the more it holds,
 * the more must be free: alone it gets half of the pool, the next one less, and those that hold little find room when
 * the pool is nearly full. A pool of 20 or more places has one for an owner that holds none while ten others take all they
 * can and give nothing back. In a smaller pool an owner may have to wait, so a piece of work must be bounded there, and
 * owners must take turns.
 * @param held of the used places, by the owner who asks.
 */
export function mayTake({ held, ...pool }: Pool & { readonly held: number }): boolean {
  return pool.used < pool.inAll && held < heldAtMost(pool)
}

/** From how many places on an owner gets no more. */
export function heldAtMost({ inAll, used }: Pool): number {
  const free = inAll - used
  const forNewcomers = Math.min(Math.floor(inAll / 2), NEWCOMERS)
  return free > forNewcomers ? Math.ceil((2 * free ** 2) / inAll) : 1
}
