import { normalizeText } from './normalize-text.ts'

/** Names of columns in lists of people, from our files and other programs; the most likely first. */
export const COLUMN_NAMES = {
  phone: [
    ...['phone', 'phone number', 'whatsapp', 'whatsapp number', 'número do whatsapp', 'número de whatsapp'],
    ...['mobile', 'mobile phone', 'mobile number', 'cell', 'cell phone', 'celular', 'móvil', 'número de celular'],
    ...['telefone', 'telefone celular', 'número de telefone', 'fone', 'teléfono', 'teléfono móvil'],
    ...[
      'número de teléfono',
      'tel',
      'telephone',
      'phone 1 value',
      'msisdn',
      'contact number',
      'number',
      'número',
      'to',
    ],
  ],
  name: [
    ...['name', 'full name', 'nome completo', 'nombre completo', 'nome', 'nombre', 'first name', 'given name'],
    ...['primeiro nome', 'contact', 'contato', 'contacto', 'cliente', 'customer'],
  ],
  tags: ['tags', 'tag', 'labels', 'etiquetas', 'etiqueta', 'groups', 'grupos'],
  note: ['note', 'reason', 'motivo', 'nota', 'observação'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The name of a column without case, accents, spaces and punctuation. */
const foldColumn = (name: string): string =>
  normalizeText(name, 'NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]/gu, '')

/**
 * Finds the column with one of these names.
 * @param taken columns to skip
 * @returns its index, or -1
 */
export function findColumn(header: readonly string[], names: readonly string[], taken: readonly number[] = []): number {
  const folded = header.map((name, at) => (taken.includes(at) ? '' : foldColumn(name)))
  for (const name of names) {
    const at = folded.indexOf(foldColumn(name))
    if (at >= 0) return at
  }
  return -1
}
