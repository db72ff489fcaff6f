import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { VoiceSettings, VoiceSettingsPatch, VoiceStatus } from '../../../contract/voice.ts'
import { SETTINGS_EXAMPLE, STATUS_EXAMPLE } from '../../../contract/voice-examples.ts'
import { under, reads, manages, quiet } from './parts.ts'

export const setupContract = {
  getVoice: operation({
    ...reads,
    id: 'getVoice',
    effects: [],
    summary: 'Read the voice status',
    description:
      'Whether this instance can make calls, how many are left of the trial, how many run, and the settings.',
    origin: 'spec',
    reply: { status: 200, description: 'The voice status.', schema: VoiceStatus },
    errors: [],
    examples: { reply: STATUS_EXAMPLE },
    tool: { ...quiet, name: 'get_voice', title: 'Read the voice status' },
  }),

  enableVoice: operation({
    ...manages,
    id: 'enableVoice',
    effects: ['people_later'],
    method: 'POST',
    path: `${under.path}/enable`,
    summary: 'Enable voice',
    description:
      `Free of charge. Uses one slot of the account’s voice package; without a package, starts a trial of ` +
      `${LIMITS.voiceTrialCalls} calls. Repeating it changes nothing, except that a trial becomes unlimited if the account ` +
      'has bought a package since.',
    origin: 'spec',
    reply: { status: 200, description: 'The voice status.', schema: VoiceStatus },
    errors: ['no_free_slot', 'invalid_state'],
    examples: { reply: STATUS_EXAMPLE },
    tool: { name: 'enable_voice', title: 'Enable voice', idempotent: true, onRequest: true },
  }),

  updateVoiceSettings: operation({
    ...manages,
    id: 'updateVoiceSettings',
    effects: ['destination', 'people_later'],
    method: 'PATCH',
    path: `${under.path}/settings`,
    summary: 'Change the voice settings',
    description: 'Changes the fields you send. Calls that run keep the settings they began with.',
    origin: 'spec',
    body: VoiceSettingsPatch,
    reply: { status: 200, description: 'The settings.', schema: VoiceSettings },
    errors: ['not_found'],
    examples: { body: { summary_emails: ['sales@example.com'] }, reply: SETTINGS_EXAMPLE },
    tool: {
      name: 'update_voice_settings',
      title: 'Change the voice settings',
      idempotent: true,
      onRequest: true,
    },
  }),
} as const satisfies Contract
