/** What one webhook may hold at the moment, and what it holds. */
export interface QueueLoad {
  /** The smaller of `max_in_flight` and its window. */
  readonly limit: number
  readonly inFlight: number
  readonly isWaiting: boolean
}

/** Deliveries in flight over all webhooks. */
const MAX_IN_FLIGHT_TOTAL = 256

/**
 * Shares the free slots among the webhooks that wait. Each active webhook can always reach `floor(cap / active)` (or its
 * own limit, if that is less), so those slots are kept free for it even while it is idle; what is left over is lent, one
 * slot each in turn.
 * @param seats every active webhook, and those that still have something in flight.
 * @param most slots to give in all.
 * @param first index of the seat that begins, so that the turn moves on from call to call.
 * @returns slots for each seat, in the order of the seats.
 */
export function shareSlots(
  seats: readonly QueueLoad[],
  most: number,
  first: number,
  cap = MAX_IN_FLIGHT_TOTAL,
): number[] {
  const guarantee = Math.floor(cap / Math.max(1, seats.length))
  const kept = seats.map((seat) => Math.max(0, Math.min(guarantee, seat.limit) - seat.inFlight))
  let free = cap - sum(seats.map((seat) => seat.inFlight))
  let lendable = Math.max(0, free - sum(kept))
  const given = seats.map(() => 0)
  free = Math.min(free, most)

  const turn = seats.map((_, i) => (first + i) % seats.length).filter((i) => seats[i]?.isWaiting)
  for (const i of turn) {
    const slots = Math.min(kept[i] ?? 0, Math.max(0, free))
    given[i] = slots
    free -= slots
  }
  const wants = (i: number) => room(seats[i]) - (given[i] ?? 0) > 0
  for (let asking = turn.filter(wants); asking.length > 0 && free > 0 && lendable > 0; asking = asking.filter(wants)) {
    for (const i of asking.slice(0, Math.min(free, lendable))) {
      given[i] = (given[i] ?? 0) + 1
      free--
      lendable--
    }
  }
  return given
}

const room = (seat: QueueLoad | undefined) => (seat ? Math.max(0, seat.limit - seat.inFlight) : 0)
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/**
 * Splits a webhook's free slots between fresh deliveries and retries: when both wait, retries get at most half, rounded
 * up, and a single slot goes to each in turn. What one lane leaves unused is the other's.
 */
export function splitLanes(slots: number, waiting: { fresh: number; retry: number }, isRetryTurn: boolean) {
  const both = waiting.fresh > 0 && waiting.retry > 0
  const half = slots === 1 ? (isRetryTurn ? 1 : 0) : Math.ceil(slots / 2)
  const firstRetries = both ? Math.min(waiting.retry, half) : 0
  const fresh = Math.min(waiting.fresh, slots - firstRetries)
  return { fresh, retry: Math.min(waiting.retry, slots - fresh) }
}

/** The window bounds concurrency only; it never skips or counts an attempt. */
export function nextWindow(window: number, pressure: 'grow' | 'halve' | 'keep', most: number): number {
  if (pressure === 'grow') return Math.min(most, window + 1)
  return pressure === 'halve' ? Math.max(1, window >> 1) : window
}
