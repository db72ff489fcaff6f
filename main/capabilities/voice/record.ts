import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { VoiceCall, VoiceRecording, VoiceWidget } from '../../contract/voice.ts'
import type { StoredCall } from './call-store.ts'
import type { StoredRecording } from './recording-store.ts'
import type { StoredWidget } from './setup-store.ts'

/** Converts stored rows to API records. */

export function toCall(call: StoredCall): VoiceCall {
  return {
    id: call.id,
    instance_id: call.instanceId,
    agent_id: call.agentId,
    to_number: call.toNumber,
    from_number: call.fromNumber,
    direction: call.direction,
    source: call.source,
    gateway: call.gateway,
    status: call.status,
    scheduled_at: isoTime(call.scheduledAtMs),
    started_at: isoTimeOrNull(call.startedAtMs),
    answered_at: isoTimeOrNull(call.answeredAtMs),
    ended_at: isoTimeOrNull(call.endedAtMs),
    duration_seconds: call.durationMs === null ? null : Math.round(call.durationMs / 1_000),
    end_reason: call.endReason,
    held_at: isoTimeOrNull(call.heldAtMs),
    transfer: transferOf(call),
    attempt: call.attempt,
    batch_id: call.batchId,
    widget_id: call.widgetId,
    recording_id: call.recordingId,
    summary: call.summary,
    created_at: isoTime(call.createdAtMs),
  }
}

function transferOf(call: StoredCall): VoiceCall['transfer'] {
  const { transferTo, transferStatus, transferFailure, transferAtMs } = call
  if (transferTo === null || transferStatus === null || transferAtMs === null) return null
  return {
    to_number: transferTo,
    status: transferStatus,
    failure: transferFailure,
    requested_at: isoTime(transferAtMs),
  }
}

/** @param isThere whether the file exists on disk. */
export const toRecording = (recording: StoredRecording, isThere: boolean): VoiceRecording => ({
  id: recording.id,
  duration_seconds: Math.round(recording.durationMs / 1_000),
  format: 'ogg',
  download_available: isThere,
  download_url: `/v1/instances/${recording.instanceId}/voice/recordings/${recording.id}/download`,
  call_id: recording.callId,
  instance_id: recording.instanceId,
  direction: recording.direction,
  source: recording.source,
  has_audio: recording.hasAudio === 1,
  sandbox: recording.sandbox === 1,
  size_bytes: recording.size,
  ended_at: isoTime(recording.endedAtMs),
  created_at: isoTime(recording.createdAtMs),
  expires_at: isoTimeOrNull(recording.expiresAtMs),
})

/** @param about `baseUrl` without a trailing slash. */
export const toWidget = (widget: StoredWidget, about: { usedToday: number; baseUrl: string }): VoiceWidget => ({
  id: widget.id,
  instance_id: widget.instanceId,
  name: widget.name,
  allowed_origins: JSON.parse(widget.allowedOrigins) as string[],
  agent_id: widget.agentId,
  video_enabled: widget.videoEnabled === 1,
  // This room stored it from a validated body.
  appearance: JSON.parse(widget.appearance) as VoiceWidget['appearance'],
  daily_cap: widget.dailyCap,
  used_today: about.usedToday,
  public_key: widget.publicKey,
  embed_snippet: `<script src="${about.baseUrl}/widget/v1.js" data-widget="${widget.publicKey}" async></script>`,
  created_at: isoTime(widget.createdAtMs),
  updated_at: isoTime(widget.updatedAtMs),
})
