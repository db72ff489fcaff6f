import { Type, type Static } from 'typebox'
import { Timestamp } from './shapes.ts'

/** Details of an issue besides its sentence. Details that do not apply are absent. */
const ISSUE_DETAILS = {
  until: Type.Optional(
    Type.String({ ...Timestamp, description: 'When it ends, or when what it warns of happens. Absent: unknown.' }),
  ),
  next_retry_at: Type.Optional(Type.String({ ...Timestamp, description: 'When the service connects again.' })),
  kind: Type.Optional(Type.String({ description: 'The network’s name of the restriction.' })),
  reason: Type.Optional(
    Type.String({ description: 'The network’s code of the cause, such as that of a rejected display name.' }),
  ),
  username: Type.Optional(Type.String({ description: 'The username it concerns.' })),
  group_ids: Type.Optional(Type.Array(Type.String(), { description: 'The groups it concerns.' })),
  fields: Type.Optional(
    Type.Array(Type.String(), { description: 'The webhook fields that are not selected at Meta.' }),
  ),
  requester_id: Type.Optional(Type.String({ description: 'Meta’s ID of the person who asked for the change.' })),
  graph_version: Type.Optional(Type.String({ description: 'The version of Meta’s Graph API it concerns.' })),
  provider_code: Type.Optional(Type.Integer({ description: 'The error code from the network.' })),
  provider_message: Type.Optional(Type.String({ description: 'The error text from the network.' })),
  count: Type.Optional(
    Type.Integer({ minimum: 1, description: 'How many files, callbacks, events or templates it concerns.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many there can be.' })),
}

export const IssueDetails = Type.Object(ISSUE_DETAILS)
export type IssueDetails = Static<typeof IssueDetails>

export const HealthIssue = Type.Object({
  code: Type.String(),
  message: Type.String({ description: 'What is wrong and what to do about it.' }),
  since: Type.Union([Timestamp, Type.Null()]),
  ...ISSUE_DETAILS,
})
export type HealthIssue = Static<typeof HealthIssue>
