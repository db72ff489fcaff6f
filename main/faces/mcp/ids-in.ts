/** Our ids: a UUID, or a prefix and a ULID. Ids of a network do not match. */
const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2,5}_[0-9A-Z]{26})$/

/** An id in a value, with its field name. For an entry in `stage_ids`, the name is `stage_id`. */
export interface FieldId {
  readonly id: string
  readonly field: string
}

/** All ids in arguments or a result, at any depth. An id used as a field name belongs to an instance. */
export function* idsIn(value: unknown, field = ''): Generator<FieldId> {
  if (typeof value === 'string') {
    if (ID.test(value)) yield { id: value, field }
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && ID.test(name)) yield { id: name, field: 'instance_id' }
    yield* idsIn(inner, Array.isArray(value) ? field.replace(/_ids$/, '_id') : name)
  }
}
