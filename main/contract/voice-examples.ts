import type { CallReview, VoiceCall, VoiceRecording, VoiceSettings, VoiceStatus, VoiceWidget } from './voice.ts'

/** Examples of the API reference. */

export const INSTANCE = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
const CALL = '0197f0c2-7b3e-7c51-9d2b-5f8e1a7c4b61'
const RECORDING = '0197f0c2-7b3e-7c51-9d2b-5f8e1a7c4b62'

export const CALL_EXAMPLE = {
  id: CALL,
  instance_id: INSTANCE,
  agent_id: '0197f0c2-7b3e-7c51-9d2b-5f8e1a7c4b63',
  to_number: '12025550123',
  from_number: '12025550100',
  direction: 'outbound',
  source: 'api',
  gateway: 'sandbox',
  status: 'completed',
  scheduled_at: '2026-03-01T09:30:00.000Z',
  started_at: '2026-03-01T09:30:00.120Z',
  answered_at: '2026-03-01T09:30:02.120Z',
  ended_at: '2026-03-01T09:30:20.920Z',
  duration_seconds: 19,
  end_reason: 'person_hung_up',
  held_at: null,
  transfer: null,
  attempt: 1,
  batch_id: null,
  widget_id: null,
  recording_id: RECORDING,
  summary: 'The person asked when you are open and thanked for the answer.',
  created_at: '2026-03-01T09:30:00.000Z',
} as const satisfies VoiceCall

export const RUNNING_EXAMPLE = {
  ...CALL_EXAMPLE,
  ...{ gateway: 'sip', status: 'in_progress', ended_at: null, duration_seconds: null },
  ...{ end_reason: null, recording_id: null, summary: null },
} as const satisfies VoiceCall

export const LIVE_EXAMPLE = {
  ...CALL_EXAMPLE,
  ...{ status: 'in_progress', ended_at: null, duration_seconds: null, end_reason: null, recording_id: null },
  ...{
    summary: null,
    instance_name: 'Sales',
    person_name: 'Ben',
    agent_name: 'Ana',
    last_line: 'When are you open?',
    can_listen: true,
  },
} as const

export const REVIEW_EXAMPLE = {
  transcript: [
    { speaker: 'agent', start_ms: 300, end_ms: 2_100, text: 'Hello, this is Ana of Acme.' },
    { speaker: 'person', start_ms: 2_600, end_ms: 4_000, text: 'When are you open?' },
  ],
  summary: CALL_EXAMPLE.summary,
  summary_by: 'extract',
  coaching: [],
  coaching_by: null,
} as const satisfies CallReview

export const RECORDING_EXAMPLE = {
  id: RECORDING,
  duration_seconds: 19,
  format: 'ogg',
  download_available: true,
  download_url: `/v1/instances/${INSTANCE}/voice/recordings/${RECORDING}/download`,
  call_id: CALL,
  instance_id: INSTANCE,
  direction: 'outbound',
  source: 'api',
  has_audio: true,
  sandbox: true,
  size_bytes: 49_152,
  ended_at: '2026-03-01T09:30:20.920Z',
  created_at: '2026-03-01T09:30:21.000Z',
  expires_at: null,
} as const satisfies VoiceRecording

export const SETTINGS_EXAMPLE: VoiceSettings = {
  summary_enabled: true,
  summary_emails: ['sales@example.com'],
  coach_enabled: false,
  receive_enabled: false,
  receive_agent_id: null,
  announcement: null,
  calling_hours: { start: '09:00', end: '18:00', timezone: 'America/Sao_Paulo', days: [1, 2, 3, 4, 5] },
  keep_recordings_days: null,
}

export const STATUS_EXAMPLE: VoiceStatus = {
  ...{ voice_available: true, enabled: true, unlimited: false, remaining: 49, channels: 4, active_calls: 0 },
  ...{ gateway: 'sandbox', unavailable_reason: null, unavailable_message: null },
  settings: SETTINGS_EXAMPLE,
}

const KEY = 'wid_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'

export const WIDGET_EXAMPLE: VoiceWidget = {
  id: '0197f0c2-7b3e-7c51-9d2b-5f8e1a7c4b64',
  instance_id: INSTANCE,
  name: 'Website',
  allowed_origins: ['https://www.example.com'],
  agent_id: null,
  video_enabled: false,
  appearance: { color: '#0f766e', position: 'right', language: 'auto', title: null },
  daily_cap: 50,
  used_today: 12,
  public_key: KEY,
  embed_snippet: `<script src="https://calls.example.com/widget/v1.js" data-widget="${KEY}" async></script>`,
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
}
