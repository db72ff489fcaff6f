import type { DeletedInstance, InstanceRecord } from '../../contract/instance.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import { toEngineInstance, type Engines } from './engines.ts'
import type { Instance } from './store.ts'

interface Deps {
  readonly engines: Engines
  /** Address that links handed out begin with, without a slash at its end. */
  readonly baseUrl: () => string
}

/** Writes instances as callers see them. */
export type Records = (instance: Instance) => Promise<InstanceRecord>

export function createRecords({ engines, baseUrl }: Deps): Records {
  return async (instance) => {
    // Almost all: no detour through a promise of the engine for them.
    if (!awaitsOnboarding(instance)) return toRecord(instance, null)
    const engine = engines[instance.network][instance.engine]
    const token = (await engine?.onboarding?.token(toEngineInstance(instance))) ?? null
    return toRecord(instance, onboardingUrl(baseUrl(), token))
  }
}

/**
 * `onboarding_url` stands in the record until a number is connected, and again when its login was refused. One handed
 * out while an instance is wiped would be wiped with it.
 */
const awaitsOnboarding = ({ engine, loggedIn, status }: Instance) =>
  !TRAITS[engine].isLinkedPhone && !loggedIn && status !== 'recreating'

export function onboardingUrl(baseUrl: string, token: string | null): string | null {
  return token === null ? null : `${baseUrl}/onboard/${encodeURIComponent(token)}`
}

export function toRecord(instance: Instance, onboarding: string | null): InstanceRecord {
  return {
    id: instance.id,
    name: instance.name,
    instance_name: instance.instanceName,
    engine: instance.engine,
    status: instance.status,
    status_since: isoTime(instance.statusAtMs),
    connected: instance.status === 'connected',
    logged_in: instance.loggedIn,
    network: instance.network,
    phone_number: instance.phoneNumber,
    profile_name: instance.profileName,
    external_ref: instance.externalRef,
    metadata: instance.metadata,
    ...(onboarding === null ? {} : { onboarding_url: onboarding }),
    created_at: isoTime(instance.createdAtMs),
    updated_at: isoTime(instance.updatedAtMs),
    last_connected_at: isoTimeOrNull(instance.lastConnectedAtMs),
    last_disconnect_reason: instance.lastDisconnectReason,
    banned_until: instance.lastDisconnectReason === 'temporary_ban' ? isoTimeOrNull(instance.blockedUntilMs) : null,
  }
}

/** An entry of the `deleted` list. */
export function toDeleted({
  id,
  externalRef,
  metadata,
  deletedAtMs,
}: Pick<Instance, 'id' | 'externalRef' | 'metadata' | 'deletedAtMs'>): DeletedInstance {
  return { id, external_ref: externalRef, metadata, deleted_at: isoTime(deletedAtMs ?? 0) }
}
