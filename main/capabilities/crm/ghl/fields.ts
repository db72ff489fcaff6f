import type { FieldMapping } from '../../../contract/crm.ts'
import type { Person } from '../bridge.ts'

/** Standard fields of a GoHighLevel contact; all others are custom fields. */
const STANDARD: ReadonlySet<string> = new Set(['name', 'firstName', 'lastName', 'companyName', 'source'])

/** The fields of a contact in GoHighLevel's format. An empty value leaves the field unchanged. */
export function fieldsOf(map: readonly FieldMapping[], { values }: Person): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  const custom: { readonly id: string; readonly field_value: string }[] = []
  for (const { from, to } of map) {
    const value = values[from] ?? ''
    const list = typeof value === 'string' ? [value].filter((one) => one !== '') : value
    const [first] = list
    if (first === undefined) continue
    if (to === 'tags') fields['tags'] = [...list]
    else if (STANDARD.has(to)) fields[to] = list.join(', ')
    else custom.push({ id: to, field_value: list.join(', ') })
  }
  return custom.length === 0 ? fields : { ...fields, customFields: custom }
}
