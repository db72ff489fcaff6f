import type { FileColumn, ImportField } from '../../parts/column-mapping.ts'

export const FIELDS: readonly ImportField[] = [
  { key: 'phone', label: 'Phone number', isRequired: true, aliases: ['WhatsApp'] },
  { key: 'name', label: 'Name', isRequired: false, aliases: [] },
  { key: 'email', label: 'Email', isRequired: false, aliases: ['E-mail'] },
]
export const COLUMNS: readonly FileColumn[] = [
  { name: 'Name', samples: ['Ana Souza'] },
  { name: 'WhatsApp', samples: ['', '+55 11 98888-7777'] },
  { name: 'City', samples: ['São Paulo'] },
]

/** Long enough to show that only the visible rows are rendered. */
export const PEOPLE = Array.from({ length: 10_000 }, (_, n) => ({
  id: `person-${n}`,
  name: `Person ${n + 1}`,
  state: n % 3 === 0 ? 'paused' : 'active',
}))

export const DAYS = Array.from({ length: 30 }, (_, n) => String(n + 1))
export const SERIES = [
  { name: 'Sent', tone: 'primary' as const, values: DAYS.map((_, n) => 40 + ((n * 17) % 30)) },
  { name: 'Failed', tone: 'error' as const, values: DAYS.map((_, n) => (n * 7) % 5) },
]
