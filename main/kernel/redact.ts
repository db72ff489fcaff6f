import { ID_PREFIXES } from './ids.ts'

/** What stands for something that was taken out. */
const OUT = '[…]'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** What a copy of the database is called (storage/backup.ts). */
const COPY = '(?:[\\w-]*/)*switchboard-\\d{8}T\\d{6}Z-'
const OWN_ID = new RegExp(`^(${UUID}|(${Object.values(ID_PREFIXES).join('|')})_[\\w-]{1,64})$`)

/**
 * What no line should hold, and none is trusted not to: keys, secrets, one-time codes, tokens, all of an address behind
 * its host, mail addresses, long runs that are not words, telephone numbers.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(swb|whsec|app|sk|pk)_[\w-]{6,}/gi, OUT],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${OUT}`],
  [
    /\b(code|token|key|secret|password|passphrase|authorization|cookie)(["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi,
    `$1$2${OUT}`,
  ],
  [/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]*@)?([^\s/?#"'<>)]+)[^\s"'<>)]*/gi, `$1$2/${OUT}`],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, OUT],
  [new RegExp(`\\b(?!${UUID}\\b|${COPY})(?=[\\w+/-]*\\d)(?=[\\w+/-]*[a-z])[\\w+/-]{32,}={0,2}`, 'gi'), OUT],
  [/(?<![\w-])\+?\d[\d\s().-]{5,}\d(?![\w-])/g, OUT],
  [/\+?\d{9,}/g, OUT],
]

/**
 * Takes out of a text what could be a secret or lead to a person.
 * @param folders whose names say whose computer it is.
 */
export function redactText(text: string, folders: readonly string[] = []): string {
  const placed = folders.reduce((found, folder) => (folder === '' ? found : found.replaceAll(folder, '~')), text)
  return PATTERNS.reduce((found, [pattern, instead]) => found.replace(pattern, instead), placed)
}

/** The same for everything in a value. Ids of ours stay: they lead nowhere without the database. */
export function redact(value: unknown, folders: readonly string[] = []): unknown {
  if (typeof value === 'string') return OWN_ID.test(value) ? value : redactText(value, folders)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => redact(one, folders))
  if (typeof value !== 'object') return undefined
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redact(one, folders)]))
}
