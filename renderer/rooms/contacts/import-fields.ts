import { COLUMN_NAMES } from '../../../main/contract/list-columns.ts'
import type { ColumnMapping, ImportField } from '../../parts/column-mapping.ts'

export type ImportList = 'contacts' | 'optOuts'

/** Fields that an import can fill. @param t of the locale. */
export function fieldsOf(list: ImportList, t: (key: string) => string): readonly ImportField[] {
  const phone = { key: 'phone', label: t('contacts.field.phone'), isRequired: true, aliases: COLUMN_NAMES.phone }
  const field = (key: string, label: string, aliases: readonly string[]) => ({ key, label, isRequired: false, aliases })
  if (list === 'optOuts') return [phone, field('note', t('contacts.optOuts.note'), COLUMN_NAMES.note)]
  return [
    phone,
    field('name', t('contacts.field.name'), COLUMN_NAMES.name),
    field('tags', t('contacts.field.tags'), COLUMN_NAMES.tags),
  ]
}

/** The columns in the service's format: `#2` is the second one. */
export const positionsOf = (mapping: ColumnMapping): Readonly<Partial<Record<string, string>>> =>
  Object.fromEntries(Object.entries(mapping).map(([key, index]) => [key, `#${index + 1}`]))
