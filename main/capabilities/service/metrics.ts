import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { AccountId } from '../../kernel/ids.ts'
import { gauge, type Family } from '../../kernel/metrics.ts'
import type { ServiceRecord } from './contract/overview.ts'
import type { Tallies } from './tallies.ts'

interface MetricsDeps {
  readonly tallies: Tallies
  readonly facts: () => Pick<ServiceRecord, 'version' | 'started_at' | 'database_bytes' | 'warnings'>
  /** Load of the delivery worker. */
  readonly worker: () => { readonly inFlight: number; readonly unrecorded: number; readonly lagMs: number }
  readonly storage: () => StorageGauges
  readonly now: () => number
}

/** The disk that holds the home folder. */
export interface StorageGauges {
  /** undefined until first measured. */
  readonly freeBytes: number | undefined
  /** Whether new data is accepted. */
  readonly isOpen: boolean
  /** Time of the last complete check of the database; null: none since the start. */
  readonly lookedAtMs: number | null
  /** Result of that check. */
  readonly isDamaged: boolean
}

/** Counting stops here, because it would cost more than the number is worth. */
const COUNTED_AT_MOST = 100_000

export type Metrics = ReturnType<typeof createMetrics>

/** Metrics for a monitoring system that scrapes every few seconds. */
export function createMetrics({ tallies, facts, worker, storage, now }: MetricsDeps) {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()

  async function accountFamilies(accountId: AccountId): Promise<Family[]> {
    const [instances, webhooks, deliveries, dueSince, messages, approvals] = await Promise.all([
      tallies.instances(accountId),
      tallies.webhooks(accountId),
      tallies.deliveries(accountId, COUNTED_AT_MOST),
      tallies.deliveriesDueSinceMs(accountId),
      tallies.messages(accountId),
      tallies.approvals(accountId),
    ])
    return [
      {
        name: 'switchboard_instances',
        help: 'Instances by status.',
        type: 'gauge',
        samples: [...instances].map(([status, value]) => ({ labels: { status }, value })),
      },
      gauge('switchboard_webhooks', 'Number of webhooks.', webhooks.total),
      gauge('switchboard_webhooks_deactivated', 'Webhooks deactivated after repeated failures.', webhooks.deactivated),
      {
        name: 'switchboard_deliveries_open',
        help: `Deliveries without a response yet (pending), or whose last attempt failed (failed). Counted up to ${COUNTED_AT_MOST}.`,
        type: 'gauge',
        samples: [
          { labels: { status: 'pending' }, value: deliveries.pending },
          { labels: { status: 'failed' }, value: deliveries.failed },
        ],
      },
      gauge(
        'switchboard_delivery_lag_seconds',
        'How long the oldest due delivery has been due.',
        dueSince === null ? 0 : Math.max(0, now() - dueSince) / 1_000,
      ),
      gauge('switchboard_messages_queued', 'Messages waiting for confirmation by the network.', messages.queued),
      gauge('switchboard_approvals_pending', 'Assistant calls waiting for approval.', approvals.pending),
    ]
  }

  function processFamilies(): Family[] {
    const { version, started_at, database_bytes, warnings } = facts()
    const { inFlight, unrecorded, lagMs } = worker()
    const { freeBytes, isOpen, lookedAtMs, isDamaged } = storage()
    const memory = process.memoryUsage.rss()
    return [
      {
        name: 'switchboard_build_info',
        help: 'Version of Switchboard and Node.js.',
        type: 'gauge',
        samples: [{ labels: { version, node: process.versions.node }, value: 1 }],
      },
      gauge(
        'process_start_time_seconds',
        'Start time of the process, in seconds since the epoch.',
        Date.parse(started_at) / 1_000,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory of the process.', memory),
      gauge('switchboard_database_bytes', 'Size of the database.', database_bytes),
      ...(freeBytes === undefined
        ? []
        : [gauge('switchboard_disk_free_bytes', 'Free space on the disk of the home folder.', freeBytes)]),
      gauge(
        'switchboard_storage_open',
        '1 while new data is accepted; 0 when the disk is full or failed.',
        isOpen ? 1 : 0,
      ),
      ...(lookedAtMs === null
        ? []
        : [
            gauge(
              'switchboard_database_looked_through_timestamp_seconds',
              'When the whole database was last checked, in seconds since the epoch.',
              lookedAtMs / 1_000,
            ),
          ]),
      gauge('switchboard_database_damaged', '1 if damage was found in the database.', isDamaged ? 1 : 0),
      gauge(
        'switchboard_event_loop_delay_p99_seconds',
        '99th percentile of the event loop delay since the start.',
        p99Of(delay),
      ),
      gauge('switchboard_deliveries_in_flight', 'Deliveries in progress.', inFlight),
      gauge('switchboard_deliveries_unrecorded', 'Finished deliveries not written to disk yet.', unrecorded),
      gauge('switchboard_delivery_loop_lag_seconds', 'Duration of the last event loop iteration.', lagMs / 1_000),
      gauge('switchboard_warnings', 'Active warnings. Settings shows their text.', warnings.length),
    ]
  }

  return {
    ofProcess: processFamilies,
    ofAccount: accountFamilies,
    close: () => void delay.disable(),
  }
}

/** The percentile is NaN without any measurement. */
const p99Of = (delay: { percentile(percent: number): number; readonly count: number }) =>
  delay.count === 0 ? 0 : delay.percentile(99) / 1e9
