import type { AttentionLine } from './room.ts'

/** Number of issues of a client. */
export interface ClientCount {
  /** Id of the client's account. */
  readonly id: string
  readonly name: string
  readonly count: number
  readonly sinceMs: number
}

/** Limit of named clients, so that an agency with hundreds still sees its own issues. */
const MOST_NAMED = 5

/**
 * Issues of clients in an operator's overview: `client` for each of the few that have waited longest, and
 * `more_clients` with the number of the others.
 */
export function linesOfClients(severity: AttentionLine['severity'], clients: readonly ClientCount[]): AttentionLine[] {
  const ordered = clients.toSorted((a, b) => a.sinceMs - b.sinceMs)
  const others = ordered.slice(MOST_NAMED)
  return [
    ...ordered.slice(0, MOST_NAMED).map(({ id, name, count, sinceMs }): AttentionLine => ({
      ...{ code: 'client', severity, count, sinceMs, text: null },
      subject: { id, name },
    })),
    ...(others.length === 0
      ? []
      : [
          {
            ...{ code: 'more_clients', severity, count: others.length, subject: null, text: null },
            ids: others.map(({ id }) => id),
            sinceMs: Math.min(...others.map(({ sinceMs }) => sinceMs)),
          },
        ]),
  ]
}
