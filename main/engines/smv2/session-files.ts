import type { AuthenticationCreds, SignalDataTypeMap } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { SessionFiles } from '../engine.ts'
import type { Library } from './library.ts'

/** A key as the store has it: its type, its id, and its value in the library's JSON. */
export interface StoredKey {
  readonly type: string
  readonly id: string
  readonly text: string
}

export interface SessionContent {
  readonly creds: AuthenticationCreds
  readonly keys: readonly StoredKey[]
}

/** Longer names first: `sender-key-memory-…` is no `sender-key-…`. */
const TYPES = [
  'app-state-sync-version',
  'sender-key-memory',
  'app-state-sync-key',
  'identity-key',
  'lid-mapping',
  'device-list',
  'sender-key',
  'pre-key',
  'session',
  'tctoken',
] as const satisfies readonly (keyof SignalDataTypeMap)[]

const CREDS = 'creds.json'
const OWN_JID = /^(\d{5,20})(:\d+)?@s\.whatsapp\.net$/

/**
 * Reads a session from the files in which the library's own store keeps one. Files of other kinds are ignored.
 * @throws ApiError validation_error if it is not the whole session of a paired phone.
 */
export function readSessionFiles(library: Library, files: SessionFiles): SessionContent & { readonly number: string } {
  const text = files[CREDS]
  if (text === undefined)
    throw invalid('The folder has no creds.json. Choose the folder of one WhatsApp session.').because(
      'session_no_creds',
    )
  // As the file says; `numberOf` checks it.
  const creds = parse(library, CREDS, text) as AuthenticationCreds
  const number = numberOf(library, creds)
  const keys = Object.entries(files).flatMap(([name, content]) => {
    const key = keyNameOf(name)
    if (key === undefined) return []
    return [{ ...key, text: JSON.stringify(parse(library, name, content), library.BufferJSON.replacer) }]
  })
  return { creds, keys, number }
}

/** The files in which the library's own store would keep this session. */
export function writeSessionFiles(library: Library, { creds, keys }: SessionContent): SessionFiles {
  const named = keys.map(({ type, id, text }) => [fileNameOf(type, id), text] as const)
  return Object.fromEntries([[CREDS, JSON.stringify(creds, library.BufferJSON.replacer)], ...named])
}

function parse(library: Library, name: string, text: string): unknown {
  try {
    return JSON.parse(text, library.BufferJSON.reviver)
  } catch {
    throw invalid(`The file ${name} is not valid JSON. Copy the folder again while the other server is off.`).because(
      'session_file_broken',
      { name },
    )
  }
}

function numberOf(library: Library, creds: AuthenticationCreds | null): string {
  const [, number] = OWN_JID.exec(creds?.me?.id ?? '') ?? []
  if (creds === null || number === undefined || !creds.account)
    throw invalid('This session was never paired with a phone. Pair the phone here instead.').because(
      'session_never_paired',
    )
  if (!isWhole(library, creds))
    throw invalid('The keys in creds.json are missing or do not belong together. Copy the folder again.').because(
      'session_keys_broken',
    )
  return number
}

function isWhole(
  { Curve, generateSignalPubKey }: Library,
  { noiseKey, signedIdentityKey, signedPreKey, registrationId, advSecretKey, nextPreKeyId }: AuthenticationCreds,
): boolean {
  const pairs: readonly unknown[] = [
    noiseKey,
    signedIdentityKey,
    (signedPreKey as Partial<typeof signedPreKey> | undefined)?.keyPair,
  ]
  if (!pairs.every(isKeyPair) || typeof advSecretKey !== 'string') return false
  if (!Number.isInteger(registrationId) || !Number.isInteger(nextPreKeyId)) return false
  const signed = generateSignalPubKey(signedPreKey.keyPair.public)
  return Curve.verify(signedIdentityKey.public, signed, signedPreKey.signature)
}

function isKeyPair(value: unknown): boolean {
  const { public: open, private: secret } = (value ?? {}) as Record<string, unknown>
  return [open, secret].every((key) => key instanceof Uint8Array && key.length === 32)
}

/** As the library's store names them: `/` and `:` of an id are replaced in file names. */
const fileNameOf = (type: string, id: string) => `${type}-${id.replaceAll('/', '__').replaceAll(':', '-')}.json`

function keyNameOf(name: string): { type: string; id: string } | undefined {
  const type = TYPES.find((one) => name.startsWith(`${one}-`))
  if (type === undefined || !name.endsWith('.json')) return undefined
  const written = name.slice(type.length + 1, -'.json'.length)
  if (written === '') return undefined
  // Ids of sender keys are `group::sender::device`, those of app state keys base64.
  if (type === 'sender-key') return { type, id: written.replace(/--([^-]+)--(\d+)$/, '::$1::$2') }
  return { type, id: type === 'app-state-sync-key' ? written.replaceAll('__', '/') : written }
}

const invalid = (message: string) => new ApiError('validation_error', message)
