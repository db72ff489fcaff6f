import { Type, type Static } from 'typebox'
import { type SandboxMessage } from '../../../contract/sandbox.ts'
import { PageSize } from '../../../contract/shapes.ts'

export const PageQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})
export type PageQuery = Static<typeof PageQuery>

export const MESSAGE_EXAMPLE = {
  id: '3EB001KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  from: '12025550100',
  to: '12025550123',
  group: null,
  type: 'text',
  text: 'Your order 1042 is on its way.',
  media: null,
  details: null,
  content: null,
  cloud_api: null,
  quoted_message_id: null,
  sent_at: '2026-03-01T09:30:00.000Z',
  received_at: '2026-03-01T09:30:00.600Z',
  edited_at: null,
  deleted_at: null,
  disappears_at: null,
  reactions: [],
} satisfies SandboxMessage

export const SPOKEN_EXAMPLE = {
  ...MESSAGE_EXAMPLE,
  id: 'SANDBOX019CAA0B1C2D9F3A5B7C1D2E4F60',
  message_id: null,
  instance_id: null,
  from: '12025550123',
  to: '12025550100',
  text: 'Thank you!',
  received_at: '2026-03-01T09:30:00.000Z',
} satisfies SandboxMessage
