import type { Db } from '../../kernel/db.ts'
import { linesOfClients } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import { clientsWithDeactivated, deactivatedWebhooks, retryingWebhooks } from './store.ts'

interface Found {
  readonly id: string
  readonly url: string
  readonly sinceMs?: number
}

/** Webhooks that were given up, and those whose deliveries are being retried; of clients only those that were given up. */
export function createAttention({ db }: { readonly db: Db }) {
  return async ({ accountId, role }: AttentionQuery): Promise<AttentionLine[]> => [
    ...lineOf(
      'deactivated',
      'error',
      (await db.read(deactivatedWebhooks, { accountId })).toSorted((a, b) => a.sinceMs - b.sinceMs),
    ),
    ...lineOf('failing', 'warning', await db.read(retryingWebhooks, { accountId })),
    ...(role === 'operator' ? linesOfClients('warning', await db.read(clientsWithDeactivated, { accountId })) : []),
  ]
}

function lineOf(code: string, severity: AttentionLine['severity'], found: readonly Found[]): AttentionLine[] {
  const [first] = found
  if (first === undefined) return []
  const subject = found.length === 1 ? { id: first.id, name: first.url } : null
  const ids = found.map(({ id }) => id)
  return [{ code, severity, count: found.length, subject, ids, sinceMs: first.sinceMs ?? null, text: null }]
}
