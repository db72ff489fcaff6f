import { extname } from 'node:path'
import { isOggOpus } from './voice-note.ts'

/** What the type of a file is recognized by. */
export interface FileClues {
  /** Its first bytes; `FILE_HEAD_BYTES` are enough. */
  readonly head: Buffer
  /** The Content-Type that came with it. */
  readonly declared: string | undefined
  readonly name: string | null
}

export const FILE_HEAD_BYTES = 4_096
export const UNKNOWN_TYPE = 'application/octet-stream'

/** What some programs write instead of the registered type. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'application/x-pdf': 'application/pdf',
  'binary/octet-stream': UNKNOWN_TYPE,
  'application/binary': UNKNOWN_TYPE,
  'application/force-download': UNKNOWN_TYPE,
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** The first extension of a type is the one that a file of it gets. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'audio/aac': ['aac'],
  'audio/amr': ['amr'],
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['m4a', 'm4b'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'audio/wav': ['wav'],
  'audio/flac': ['flac'],
  'video/mp4': ['mp4', 'm4v'],
  'video/3gpp': ['3gp', '3gpp'],
  'video/quicktime': ['mov', 'qt'],
  'video/webm': ['webm'],
  'text/plain': ['txt', 'text', 'log'],
  'text/csv': ['csv'],
  'text/html': ['html', 'htm'],
  'text/markdown': ['md'],
  'application/json': ['json'],
  'application/zip': ['zip'],
  'application/pdf': ['pdf'],
  'application/msword': ['doc'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.ms-powerpoint': ['ppt'],
  [`${OFFICE}.wordprocessingml.document`]: ['docx'],
  [`${OFFICE}.spreadsheetml.sheet`]: ['xlsx'],
  [`${OFFICE}.presentationml.presentation`]: ['pptx'],
}

const BY_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, extensions]) => extensions.map((extension) => [extension, type] as const)),
)

/** Extensions that a file of this type may have, the usual one first. */
export const extensionsOf = (mimeType: string): readonly string[] => EXTENSIONS[mimeType] ?? []

/** The type that the extension of a name says. */
export const typeOfName = (name: string | null): string | undefined =>
  BY_EXTENSION.get(
    extname(name ?? '')
      .slice(1)
      .toLowerCase(),
  )

/**
 * The type of a file from elsewhere: by its content, then by the Content-Type that came with it, then by its extension.
 * Content is judged first because servers often name the wrong type, and networks compare it with the content.
 */
export function fileTypeOf({ head, declared, name }: FileClues): string {
  const said = declaredType(declared)
  const named = typeOfName(name)
  const found = typeOfContent(head)
  if (found === undefined) return isVague(said) ? (named ?? said) : said
  const family = FAMILIES[found]
  if (family === undefined) return found
  return [said, named].find((type) => type !== undefined && family.includes(type)) ?? found
}

/** Types of one container. Only what came with the file tells which one it is. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'application/zip': Object.keys(EXTENSIONS).filter((type) => type.startsWith(OFFICE)),
  'application/msword': ['application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  'video/mp4': ['audio/mp4'],
  'video/webm': ['audio/webm'],
  'video/3gpp': ['audio/3gpp'],
  'text/html': ['application/xhtml+xml', 'image/svg+xml'],
}

const isVague = (type: string) => type === UNKNOWN_TYPE || type === 'text/plain'

const MIME = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/

/** A Content-Type without its parameters, by its registered name. */
function declaredType(header: string | undefined): string {
  const type = (header?.split(';', 1)[0] ?? '').trim().toLowerCase()
  return MIME.test(type) ? (TYPE_ALIASES[type] ?? type) : UNKNOWN_TYPE
}

type Signature = readonly [mimeType: string, at: number, bytes: string]

/** As Latin-1 text. */
const SIGNATURES: readonly Signature[] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/amr', 0, '#!AMR'],
  ['audio/mpeg', 0, 'ID3'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/msword', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
]

function typeOfContent(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, FILE_HEAD_BYTES)
  const found = SIGNATURES.find(([, at, bytes]) => text.startsWith(bytes, at))
  if (found !== undefined) return found[0]
  if (text.startsWith('OggS')) return !isOggOpus(head) && text.includes('theora') ? 'video/ogg' : 'audio/ogg'
  if (text.startsWith('ftyp', 4)) return typeOfBrand(text.slice(8, 12))
  return typeOfSound(head) ?? (isHtml(text) ? 'text/html' : undefined)
}

/** ISO/IEC 14496-12: the brand of the first box. */
function typeOfBrand(brand: string): string {
  if (/^M4[AB]/.test(brand)) return 'audio/mp4'
  if (brand.startsWith('3g')) return 'video/3gpp'
  if (brand === 'qt  ') return 'video/quicktime'
  return /^(?:hei|hev|mif1|msf1)/.test(brand) ? 'image/heic' : 'video/mp4'
}

/** Sound without a container begins with a frame: eleven or twelve set bits, then its version and layer. */
function typeOfSound(head: Buffer): string | undefined {
  if (head.length < 4 || head[0] !== 0xff) return undefined
  const second = head.readUInt8(1)
  if ((second & 0xf6) === 0xf0) return 'audio/aac'
  return (second & 0xe6) === 0xe2 ? 'audio/mpeg' : undefined
}

const HTML = /^\s{0,64}(?:<!--[^>]{0,512}-->\s{0,64})?<(?:!doctype html|html|head)/i
const isHtml = (text: string) => HTML.test(text.replace(/^\xef\xbb\xbf/, ''))
