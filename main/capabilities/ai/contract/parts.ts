import { Type } from 'typebox'
import { PageSize } from '../../../contract/shapes.ts'

export const paging = {
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}
const common = { reach: 'instance', origin: 'ours' } as const
export const reads = { ...common, scope: 'ai:read' } as const
export const writes = { ...common, scope: 'ai:write' } as const
export const inWindow = { audience: 'console', role: 'member', tool: null } as const
export const face = { onRequest: true } as const
