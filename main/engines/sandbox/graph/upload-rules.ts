import { extname } from 'node:path'
import { extensionsOf, fileTypeOf } from '../../../kernel/file-type.ts'
import { META_MEDIA } from '../../official/media-rules.ts'
import { GraphFault, parameterFault } from './answers.ts'

interface UploadedFile {
  readonly name: string
  /** Content type of the part of the form. */
  readonly type: string
  /** Value of the field `type`. */
  readonly declared: string
  readonly bytes: Buffer
}

/** Refuses the files that Meta refuses. @throws GraphFault 100 or 131053 */
export function checkUpload({ name, type, declared, bytes }: UploadedFile): void {
  if (declared === '') throw parameterFault('The parameter type is required.')
  if (name === '') throw parameterFault('The file has no filename.')
  const kinds = Object.values(META_MEDIA).filter(({ types }) => types.includes(declared))
  if (kinds.length === 0) {
    const all = Object.values(META_MEDIA).flatMap(({ types }) => types)
    throw parameterFault(
      `Param file must be a file with one of the following types: ${all.join(', ')}. Received file of type '${declared}'.`,
    )
  }
  if (type !== declared) throw uploadFault(`The file is of type '${type}', and the parameter type is '${declared}'.`)
  if (!extensionsOf(declared).includes(extname(name).slice(1).toLowerCase()))
    throw uploadFault(`The extension of ${name} does not fit the type '${declared}'.`)
  if (kinds.every((kind) => bytes.length > kind.bytes)) throw uploadFault('The file is too large.')
  const found = fileTypeOf({ head: bytes, declared, name })
  if (found !== declared) throw uploadFault(`The file is '${found}', not '${declared}'.`)
  if (declared === 'audio/ogg' && !isMonoOpus(bytes)) throw uploadFault('audio/ogg must be Opus with one channel.')
  if (declared === 'image/webp' && !isAnimated(bytes) && bytes.length > STATIC_STICKER_BYTES)
    throw uploadFault('A sticker that does not move has at most 100 KB.')
}

/** Refuses a message whose type does not match its file. @throws GraphFault 131053 */
export function checkFileType(messageType: string, mimeType: string): void {
  const accepted: readonly string[] = META_MEDIA[messageType as keyof typeof META_MEDIA].types
  if (!accepted.includes(mimeType)) throw uploadFault(`A file of type '${mimeType}' cannot be sent as ${messageType}.`)
}

const STATIC_STICKER_BYTES = 100 * 1024

const isMonoOpus = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 28, 36) === 'OpusHead' && bytes.readUInt8(28 + 9) === 1

const isAnimated = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes.readUInt8(20) & 0x02) !== 0

const uploadFault = (details: string) => new GraphFault(400, 131_053, '(#131053) Media upload error', details)
