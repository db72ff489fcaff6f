import type { ServiceView } from '../../parts/service.ts'

/** What may be shown to somebody who helps: counts and settings, never names, numbers, words or secrets. */
export interface Bundle {
  readonly made_at: string
  readonly window: { readonly language: string; readonly browser: string; readonly size: string }
  readonly service:
    | (Omit<ServiceView, 'home' | 'address' | 'mcp_address' | 'vault' | 'warnings' | 'password_set'> & {
        vault: string
        warnings: number
      })
    | null
  readonly counts: unknown
}

interface Overview {
  readonly instances?: unknown
  readonly webhooks?: unknown
  readonly deliveries?: unknown
  readonly approvals?: unknown
}

/** Only what is named here goes in: a field that the service learns to tell later stays out until somebody adds it. */
export function bundleOf(
  service: ServiceView | undefined,
  overview: Overview | undefined,
  window: Bundle['window'],
  nowMs: number,
): Bundle {
  return {
    made_at: new Date(nowMs).toISOString(),
    window,
    service:
      service === undefined
        ? null
        : {
            version: service.version,
            network: service.network,
            vault: `${service.vault.kind}, ${service.vault.state}`,
            database_bytes: service.database_bytes,
            started_at: service.started_at,
            warnings: service.warnings.length,
            limits: service.limits,
          },
    counts:
      overview === undefined
        ? null
        : {
            instances: overview.instances,
            webhooks: overview.webhooks,
            deliveries: overview.deliveries,
            approvals: overview.approvals,
          },
  }
}
