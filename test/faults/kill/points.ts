/**
 * A moment in the life of a unit of work.
 * - `statement`: before it runs one: what it did until then is not committed.
 * - `unit`: it has come to its end, and its group is not committed.
 * - `commit`: it is on the disk, and nobody has been told yet.
 */
export type Moment = 'statement' | 'unit' | 'commit'

interface Point {
  /** The kill comes at one of the first so many times that the point is reached. */
  readonly within: number
  /** Reached at these moments of units that run this statement; without it, where service-child.ts says. */
  readonly at?: { readonly moments: readonly Moment[]; readonly sql: RegExp }
}

const CLAIM = /SET attempts = attempts \+ 1, lease = :boot/
const BOTH = ['unit', 'commit'] as const

/** Where the service kills itself. */
export const POINTS = {
  'before claim commit': { within: 8, at: { moments: ['unit'], sql: CLAIM } },
  'after claim commit': { within: 8, at: { moments: ['commit'], sql: CLAIM } },
  'after send before result': { within: 8, at: { moments: ['statement'], sql: /lease = NULL, final_reason =/ } },
  // The times are units that are not the first of their group: of sends accepted, carried out, recorded, delivered.
  'mid group commit': { within: 60 },
  // The times are statements of the steps.
  'mid migration': { within: 40 },
  'mid prune': { within: 16, at: { moments: BOTH, sql: /DELETE FROM (deliveries|events)\s+WHERE seq > :after/ } },
  // The times are turns of the event loop, in each of which a hundred pages are copied.
  'mid backup': { within: 8 },
  'mid rotate': { within: 2, at: { moments: BOTH, sql: /secret_version = secret_version \+ 1/ } },
  'mid deactivate': { within: 2, at: { moments: BOTH, sql: /SET state = 'deactivated'/ } },
  // Three passes with a commit each, and then all three in the one that makes the webhook active.
  'mid reactivate': { within: 8, at: { moments: BOTH, sql: /final_reason = 'expired'|gap_ms = \(seq % :steps\)/ } },
  'mid replay': { within: 20, at: { moments: ['statement'], sql: /INSERT INTO deliveries .*ON CONFLICT/s } },
  'between idempotency accept and engine call': {
    within: 12,
    at: { moments: ['commit'], sql: /INSERT INTO messages/ },
  },
} as const satisfies Record<string, Point>

export type PointName = keyof typeof POINTS

export const pointOf = (name: PointName): Point => POINTS[name]
