import { Type } from 'typebox'
import { PageSize } from '../../../contract/shapes.ts'
import { VoiceCall } from '../../../contract/voice.ts'

const Cursor = Type.String({ description: '`next_cursor` of the previous page.' })
export const page = { limit: Type.Optional(PageSize), cursor: Type.Optional(Cursor) }

export const under = { path: '/v1/instances/{id}/voice', reach: 'instance' } as const
export const reads = { ...under, method: 'GET', scope: 'voice:read' } as const
export const manages = { ...under, scope: 'voice:manage' } as const
export const inConsole = { scope: null, origin: 'ours', audience: 'console', role: 'member', tool: null } as const
export const quiet = { idempotent: true, onRequest: true } as const
export const callReply = { status: 200, description: 'The call.', schema: VoiceCall } as const
