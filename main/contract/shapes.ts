import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import { NUMBER } from './addresses.ts'
import { INSTANCE_STATUSES } from './instance-statuses.ts'
import { LIMITS } from './limits.ts'

/** Schemas that operations and events share. */

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Every known name is accepted and returned in one form: `Asia/Kolkata` as `Asia/Calcutta`. */
export const TimeZone = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description} An IANA time zone; of several names for the same one, the same is always returned.`,
    examples: ['America/Sao_Paulo'],
  })

/** A request body: unknown fields are rejected. */
export const Body = <T extends TProperties>(
  properties: T,
  options: { description?: string; minProperties?: number } = {},
) => Type.Object(properties, { ...options, additionalProperties: false })

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-03-01T09:30:00.000Z'],
})

export const Uuid = Type.String({ format: 'uuid' })

export const Digits = Type.String({
  pattern: `^${NUMBER}$`,
  description: 'A phone number with country code: 7 to 15 digits, no plus sign.',
  examples: ['12025550123'],
})

export const Engine = Type.Enum(['smv2', 'official'], {
  description: '`smv2`: a phone paired by QR code. `official`: Meta’s Cloud API.',
})
export type Engine = Static<typeof Engine>

export const Network = Type.Enum(['sandbox', 'live'], {
  description: '`sandbox`: simulated inside the service. `live`: the real network. Cannot be changed.',
})
export type Network = Static<typeof Network>

export type InstanceStatus = (typeof INSTANCE_STATUSES)[number]
export const InstanceStatus = Type.Enum([...INSTANCE_STATUSES])

export const MESSAGE_STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed'] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]
export const MessageStatus = Type.Enum([...MESSAGE_STATUSES])

export const MEDIA_TYPES = ['image', 'video', 'audio', 'document'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]
export const MediaType = Type.Enum([...MEDIA_TYPES])

const SOURCES = ['api', 'campaign', 'ai', 'ghl', 'mcp', 'console', 'phone'] as const
/** Where a message was requested from. */
export type Source = (typeof SOURCES)[number]
export const Source = Type.Enum([...SOURCES])

const MESSAGE_ERROR_CODES = [
  'reachout_restricted',
  'not_on_whatsapp',
  'outside_window',
  'marketing_limit',
  'undeliverable',
  'media_rejected',
  'engine_rejected',
  'expired',
] as const
export type MessageErrorCode = (typeof MESSAGE_ERROR_CODES)[number]

/** Why a message failed. */
export const MessageErrorShape = Type.Object({
  code: Type.Enum([...MESSAGE_ERROR_CODES]),
  message: Type.String({ description: 'What went wrong and what to do, in plain language.' }),
  provider_code: Nullable(Type.Integer({ description: 'The error code from the network, for example 463 or 131047.' })),
})
export type MessageErrorShape = Static<typeof MessageErrorShape>

/** The `limit` parameter of lists. */
export const PageSize = Type.Integer({
  minimum: 1,
  maximum: LIMITS.pageSize,
  default: LIMITS.pageSizeDefault,
  description: `Page size: 1 to ${LIMITS.pageSize}, default ${LIMITS.pageSizeDefault}.`,
})

/** `{data, next_cursor, has_more}`: the shape of every list, unless the spec says otherwise. */
export const List = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    next_cursor: Nullable(
      Type.String({ description: 'Send it as `cursor` to get the next page; null on the last page.' }),
    ),
    has_more: Type.Boolean(),
  })

/** Spreadsheets give a CSV file any of these types. */
export const CSV_TYPES = ['text/csv', 'application/vnd.ms-excel', 'application/octet-stream'] as const

/** The result of importing a CSV file. */
export const ImportResult = Type.Object({
  rows: Type.Integer({ description: 'Rows of the file, without the header.' }),
  created: Type.Integer(),
  updated: Type.Integer({ description: 'Existed and were changed.' }),
  duplicates: Type.Integer({ description: 'Have a number of an earlier row, or changed nothing.' }),
  invalid: Type.Integer({ description: 'Have no number that exists.' }),
  problems: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Of the file, from 1.' }),
      phone: Type.String(),
      reason: Type.Enum(['missing_number', 'invalid_number', 'rounded_number'], {
        description: '`rounded_number`: a spreadsheet saved it as 5.5E+12, and its last digits are lost.',
      }),
    }),
    { description: `The first ${LIMITS.importProblems}.` },
  ),
})
export type ImportResult = Static<typeof ImportResult>
