import { inflateRawSync } from 'node:zlib'
import mammoth from 'mammoth'
import { DocumentError, QUESTION_LEVEL, withoutEmptyHeadings, type Block } from './blocks.ts'
import { printedQuestion } from './text-layout.ts'

/** What the text of a document may take when it is unpacked; its pictures are left packed. */
const UNPACKED_BYTES = 96 * 1024 * 1024
const OLD_OFFICE = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/** @throws DocumentError encrypted, old_word, broken, too_much_memory */
export async function blocksOfDocx(bytes: Uint8Array): Promise<Block[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.subarray(0, OLD_OFFICE.length).equals(OLD_OFFICE)) {
    // Office wraps a document with a password into its old format.
    throw new DocumentError(buffer.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : 'old_word')
  }
  checkUnpacked(buffer)
  const html = await mammoth
    .convertToHtml(
      { buffer },
      { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })), externalFileAccess: false },
    )
    .catch(() => {
      throw new DocumentError('broken')
    })
  return blocksOfHtml(html.value)
}

const END_OF_DIRECTORY = 0x06054b50
const ENTRY = 0x02014b50
const DEFLATED = 8

/**
 * Unpacks every part of the text once and throws it away: a few kilobytes may be made to unpack to gigabytes, and what
 * the archive says about its sizes need not be true.
 */
function checkUnpacked(zip: Buffer): void {
  let left = UNPACKED_BYTES
  try {
    const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
    if (end < 0 || zip.readUInt32LE(end) !== END_OF_DIRECTORY) throw new DocumentError('broken')
    let at = zip.readUInt32LE(end + 16)
    requireOneDirectory(zip, end)
    for (let entries = zip.readUInt16LE(end + 10); entries > 0; entries--) {
      if (zip.readUInt32LE(at) !== ENTRY) throw new DocumentError('broken')
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field))
      const next = at + 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0)
      const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
      if (!name.startsWith('word/media/')) left -= unpackedBytes(zip, at, left)
      at = next
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError('broken')
  }
}

/**
 * The library reads another directory where fields of the first are at their maximum (ZIP64), and shifts all offsets where
 * bytes come before the archive. It would then unpack entries that were not checked.
 */
function requireOneDirectory(zip: Buffer, end: number): void {
  const [disk, directoryDisk, onDisk, entries] = [4, 6, 8, 10].map((field) => zip.readUInt16LE(end + field))
  const isOneDisk = disk === 0 && directoryDisk === 0 && onDisk === entries && entries !== 0xffff
  const isBeforeEnd = zip.readUInt32LE(end + 16) + zip.readUInt32LE(end + 12) === end
  if (!isOneDisk || !isBeforeEnd) throw new DocumentError('broken')
}

function unpackedBytes(zip: Buffer, entry: number, most: number): number {
  const packed = zip.readUInt32LE(entry + 20)
  const header = zip.readUInt32LE(entry + 42)
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
  if (zip.readUInt16LE(entry + 10) !== DEFLATED) return packed
  try {
    return inflateRawSync(zip.subarray(start, start + packed), { maxOutputLength: Math.max(most, 1) }).length
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw new DocumentError(isTooLarge ? 'too_much_memory' : 'broken')
  }
}

/** mammoth's HTML is well-formed and has few elements. A row of a table becomes one block. */
function blocksOfHtml(html: string): Block[] {
  const blocks: Block[] = []
  collectBlocks(html, blocks)
  return withoutEmptyHeadings(blocks)
}

function collectBlocks(html: string, blocks: Block[]): void {
  let isFirstRow = false
  for (const [whole, element, inner = ''] of html.matchAll(ELEMENTS)) {
    if (element === undefined) isFirstRow = whole.startsWith('<table')
    // A table that only arranges the page: its cells have headings and text of their own.
    else if (element === 'tr' && /<h[1-6]\b/.test(inner)) collectBlocks(inner, blocks)
    else {
      blocks.push(blockOf(element, inner, isFirstRow))
      isFirstRow = false
    }
  }
}

const ELEMENTS = /<table\b|<\/table>|<(h[1-6]|p|li|tr)\b[^>]*>(.*?)(?=<\/\1>|<(?:ul|ol)>)/gs

function blockOf(element: string, inner: string, isFirstRow: boolean): Block {
  const base = { page: null, level: null }
  if (element === 'tr') {
    const text = textOfHtml(inner.replace(/<\/t[dh]>\s*<t[dh][^>]*>/g, ' · '))
    return { ...base, text, role: isFirstRow ? 'header' : 'row' }
  }
  const text = textOfHtml(inner)
  if (element === 'li') return { ...base, text, role: 'item' }
  if (element.startsWith('h')) return { ...base, text, level: Number(element[1]) }
  if (printedQuestion(text.trim()) !== null) return { ...base, text, level: QUESTION_LEVEL }
  // Many headings are only printed in bold.
  const isBold = /^<strong>[^<]*<\/strong>$/.test(inner.trim())
  return isBold && text.length <= BOLD_HEADING && !/[.!,;]$/.test(text)
    ? { ...base, text, level: 6 }
    : { ...base, text }
}

const BOLD_HEADING = 80

const textOfHtml = (inner: string): string =>
  unescapeHtml(inner.replace(/<br ?\/?>|<\/(?:p|td|th|li|h[1-6])>/g, ' ').replace(/<[^<>]+>/g, ''))

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

const unescapeHtml = (html: string): string =>
  html
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
