import { Type } from 'typebox'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Nullable, Uuid } from '../../../contract/shapes.ts'
import { CallDirection, VoiceRecording } from '../../../contract/voice.ts'
import { INSTANCE, RECORDING_EXAMPLE } from '../../../contract/voice-examples.ts'
import { page, under, reads, quiet } from './parts.ts'

const LatestReply = Type.Object({
  data: Type.Object({
    instance: Type.Object({ id: Uuid, name: Type.String(), instance_name: Type.String() }),
    recording: VoiceRecording,
  }),
})

const RecordingsReply = Type.Object({
  recordings: Type.Array(VoiceRecording),
  next_cursor: Nullable(Type.String()),
  has_more: Type.Boolean(),
})

export const recordingsContract = {
  getLatestVoiceRecording: operation({
    id: 'getLatestVoiceRecording',
    effects: [],
    method: 'GET',
    path: '/v1/voice/recordings/latest',
    summary: 'Read the latest recording',
    description:
      'The recording of the call of this instance that ended last, or of `call_id`. 404 until that call has ended and its ' +
      'recording is complete: retry after a second. Pass `call_id` if several calls can end together.',
    scope: 'voice:read',
    reach: 'instances',
    origin: 'spec',
    query: Type.Object({
      instance: Type.String({
        minLength: 1,
        maxLength: LIMITS.instanceNameLength,
        description: 'UUID, name or instance_name. A name that several instances have is 409 `ambiguous_instance`.',
      }),
      call_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'The recording of this call, instead of the latest one.',
        }),
      ),
    }),
    reply: { status: 200, description: 'The recording and its instance.', schema: LatestReply },
    errors: ['not_found', 'ambiguous_instance'],
    examples: {
      reply: {
        data: {
          instance: { id: INSTANCE, name: 'Sales', instance_name: 'sales' },
          recording: RECORDING_EXAMPLE,
        },
      },
    },
    tool: { ...quiet, name: 'get_latest_voice_recording', title: 'Read the latest recording' },
  }),

  listVoiceRecordings: operation({
    ...reads,
    id: 'listVoiceRecordings',
    effects: [],
    path: `${under.path}/recordings`,
    summary: 'List recordings',
    description: 'Recordings of this instance, the call that ended last first.',
    origin: 'spec',
    query: Type.Object({
      ...page,
      direction: Type.Optional(CallDirection),
      has_audio: Type.Optional(Type.Boolean({ description: '`true`: only those in which somebody spoke.' })),
    }),
    reply: { status: 200, description: 'A page of recordings.', schema: RecordingsReply },
    errors: ['invalid_cursor'],
    examples: { reply: { recordings: [RECORDING_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...quiet, name: 'list_voice_recordings', title: 'List recordings' },
  }),

  getVoiceRecording: operation({
    ...reads,
    id: 'getVoiceRecording',
    effects: [],
    path: `${under.path}/recordings/{recording_id}`,
    summary: 'Read a recording',
    description: 'Length, direction and download address of a recording.',
    origin: 'spec',
    reply: { status: 200, description: 'The recording.', schema: VoiceRecording },
    errors: [],
    examples: { reply: RECORDING_EXAMPLE },
    tool: { ...quiet, name: 'get_voice_recording', title: 'Read a recording' },
  }),

  downloadVoiceRecording: operation({
    ...reads,
    id: 'downloadVoiceRecording',
    effects: ['access'],
    path: `${under.path}/recordings/{recording_id}/download`,
    summary: 'Download a recording',
    description:
      'Answers 307 with the address of the file, relative to the base URL. That address is signed, needs no key, is valid ' +
      `for ${LIMITS.voiceLinkSeconds / 60} minutes and serves byte ranges. Your client must follow redirects.`,
    origin: 'spec',
    noStore: true,
    reply: { status: 307, description: 'Location has the address of the file.', schema: null },
    errors: [],
    examples: {},
    // A model cannot listen to the file.
    tool: null,
  }),
} as const satisfies Contract
