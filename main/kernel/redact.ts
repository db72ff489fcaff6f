import { ID_PREFIXES } from './ids.ts'

/** Stands in for redacted text. */
const OUT = '[…]'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** File names of backups (storage/backup.ts). */
const COPY = '(?:[\\w-]*/)*switchboard-\\d{8}T\\d{6}Z-'
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
/** Loopback and private IPv4 addresses identify nobody, and show where the service listens. */
const PRIVATE_IP = `(?:(?:127|10)\\.${OCTET}|192\\.168|172\\.(?:1[6-9]|2\\d|3[01]))\\.${OCTET}\\.${OCTET}`
/** Rooms have prefixes of their own (ids.tagged): their ids are known by their 26 characters. */
const TAGGED = '(?!wid_)[a-z]{2,5}_[0-9A-HJKMNP-TV-Z]{26}'
/** Fields whose whole value is a secret: a password can be any word. */
const SECRET_NAME = /(token|secret|password|passphrase|authorization|cookie|api_?key)$/i
const OWN_ID = new RegExp(`^(${UUID}|${TAGGED}|(${Object.values(ID_PREFIXES).join('|')})_[\\w-]{1,64})$`)

/** A run without spaces takes some of the patterns time quadratic in its length. */
const LONGEST = 4_096

type Pattern = readonly [RegExp, string | ((found: string, ...groups: (string | undefined)[]) => string)]

/**
 * What a log line must never contain: keys, secrets, one-time codes, tokens, everything of a
 * URL after its host, mail addresses, long random strings, phone numbers.
 */
const PATTERNS: readonly Pattern[] = [
  [/\b(swb|whsec|wid|app)_[\w+/-]{6,}={0,2}/gi, OUT],
  // Keys of Stripe, of AI providers and of CRMs.
  [/\b(sk|pk|rk|gsk|xai|pit)[_-][\w-]{6,}/gi, OUT],
  [/\beyJ[\w-]+(\.[\w-]+){0,4}/g, OUT],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${OUT}`],
  [
    /(\bcode|token|key|secret|password|passphrase|authorization|cookie)(["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi,
    `$1$2${OUT}`,
  ],
  [/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]*@)?([^\s/?#"'<>),]+)([/?#][^\s"'<>)]*)?/gi, hostOnly],
  [/\/(link|onboard|passkey|widget|rec|callbacks)\/[\w.+/=-]+/g, `/$1/${OUT}`],
  [/(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+/g, OUT],
  [
    new RegExp(`(?<![\\w+/-])(?![+/-]*${UUID}\\b|${COPY})[\\w+/-]{32,}={0,2}`, 'gi'),
    (found) => (looksRandom(found) ? OUT : found),
  ],
  // A phone number, which an IP address of this network also looks like.
  [
    new RegExp(`(?<![\\w.-])(${PRIVATE_IP})(?!\\.?\\d)|(?<![\\w-])\\+?\\d[\\d\\s().-]{5,}\\d(?![\\w-])`, 'g'),
    (_found, privateIp) => privateIp ?? OUT,
  ],
  [/\+?(?<!\d)\d{9,}/g, OUT],
]

/** Changes from a small to a capital letter in a name of many words; in 32 random letters there are about eight. */
const MOST_WORDS = 4

/** One random text in 200 has no digit. */
function looksRandom(text: string): boolean {
  if (!/[a-z]/i.test(text)) return false
  return /\d/.test(text) || (text.match(/[a-z][A-Z]/g) ?? []).length > MOST_WORDS
}

function hostOnly(_found: string, scheme = '', host = '', path = ''): string {
  return `${scheme}${host}${path.length > 1 ? `/${OUT}` : path}`
}

/**
 * Redacts what could be a secret or identify a person, and cuts off what is longer than 4,096 characters.
 * @param folders paths replaced by `~`, because they contain the user's name.
 */
export function redactText(text: string, folders: readonly string[] = []): string {
  const placed = folders.reduce((found, folder) => (folder === '' ? found : found.replaceAll(folder, '~')), cut(text))
  return PATTERNS.reduce(
    // The two overloads of `replace` take a string or a function, and TypeScript picks neither for a union.
    (found, [pattern, instead]) =>
      typeof instead === 'string' ? found.replace(pattern, instead) : found.replace(pattern, instead),
    placed,
  )
}

/** Text is not cut within a word, because the rest of a secret might not be recognized as one. */
const cut = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, Math.max(0, text.lastIndexOf(' ', LONGEST)))} ${OUT}`

/** Redacts every string in a value. Our own ids stay: they mean nothing without the database. */
export function redact(value: unknown, folders: readonly string[] = []): unknown {
  if (typeof value === 'string') return OWN_ID.test(value) ? value : redactText(value, folders)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => redact(one, folders))
  if (typeof value !== 'object') return undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === 'string' && SECRET_NAME.test(name) ? OUT : redact(one, folders),
    ]),
  )
}
