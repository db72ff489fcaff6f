import type { ColumnMapping, ImportField } from '../../parts/column-mapping.ts'

export type ImportList = 'contacts' | 'optOuts'

const PHONE = [
  ...['phone number', 'mobile', 'cell', 'number', 'whatsapp', 'telefone', 'celular', 'numero', 'fone', 'tel'],
  ...['telefono', 'movil', 'to'],
]
const NAME = ['full name', 'nome', 'nome completo', 'nombre', 'nombre completo', 'contact', 'contato']
const TAGS = ['tag', 'labels', 'etiquetas', 'etiqueta', 'groups', 'grupos']
const NOTE = ['reason', 'motivo', 'nota', 'observação']

/** What an import of this list can fill. @param t of the locale. */
export function fieldsOf(list: ImportList, t: (key: string) => string): readonly ImportField[] {
  const phone = { key: 'phone', label: t('contacts.field.phone'), isRequired: true, aliases: PHONE }
  const field = (key: string, label: string, aliases: readonly string[]) => ({ key, label, isRequired: false, aliases })
  if (list === 'optOuts') return [phone, field('note', t('contacts.optOuts.note'), NOTE)]
  return [phone, field('name', t('contacts.field.name'), NAME), field('tags', t('contacts.field.tags'), TAGS)]
}

/** The columns as the service takes them: `#2` is the second one. */
export const positionsOf = (mapping: ColumnMapping): Readonly<Partial<Record<string, string>>> =>
  Object.fromEntries(Object.entries(mapping).map(([key, index]) => [key, `#${index + 1}`]))
