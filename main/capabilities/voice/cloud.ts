import type { InstanceSubject } from '../handler.ts'

/** What the network says about a call that it knows by this id. */
export type CloudCallEvent =
  | { readonly kind: 'ringing' | 'accepted'; readonly networkId: string }
  | { readonly kind: 'rejected'; readonly networkId: string }
  | { readonly kind: 'answer'; readonly networkId: string; readonly sdp: string }
  | { readonly kind: 'ended'; readonly networkId: string; readonly failed: boolean }
  | { readonly kind: 'offered'; readonly networkId: string; readonly from: string; readonly sdp: string }

/** Calls over Meta's Cloud API: what is said over HTTP. The sound is WebRTC, in the voice process. */
export interface CloudCalling {
  /** Whether the person allows calls. @throws ApiError upstream_unavailable */
  permission(instance: InstanceSubject, number: string): Promise<'granted' | 'missing'>
  /** Asks the person to allow calls. @returns quota: they were asked too recently. */
  requestPermission(instance: InstanceSubject, number: string): Promise<'requested' | 'quota'>
  /** @returns the network's id of the call. @throws CloudCallRefused */
  connect(instance: InstanceSubject, call: { number: string; sdp: string; callId: string }): Promise<string>
  accept(instance: InstanceSubject, networkId: string, sdp: string): Promise<void>
  reject(instance: InstanceSubject, networkId: string): Promise<void>
  terminate(instance: InstanceSubject, networkId: string): Promise<void>
  onEvent(listener: (instanceId: string, event: CloudCallEvent) => Promise<void>): void
}

/** The network does not make the call. */
export class CloudCallRefused extends Error {
  readonly reason: 'call_permission_required' | 'number_not_callable' | 'gateway_unavailable'

  constructor(reason: CloudCallRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
