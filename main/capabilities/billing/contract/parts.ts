import { Type } from 'typebox'
import { PageSize } from '../../../contract/shapes.ts'

export const ofTheConsole = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const

export const PageQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})

export const ORDER = { plan: 'growth' }
