import type { Clock } from '../../kernel/clock.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { MediaConverter } from '../../kernel/media-converter.ts'
import { isTooLargeToDecode, sizeOfPicture } from '../../kernel/picture-size.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { FileType } from '../engine.ts'
import { factsOfFile, type MediaFacts } from './media-facts.ts'

/** What a phone writes beside a file, with a small picture of it. */
export interface DescribedFile extends MediaFacts {
  /** JPEG. */
  readonly thumbnail?: Buffer
}

export type DescribeFile = (
  accountId: AccountId,
  type: FileType,
  mimeType: string,
  content: FileContent,
) => Promise<DescribedFile>

/** A campaign sends the same file to everyone. */
const REMEMBERED = 100

interface DescribeFileDeps {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  readonly converter: Pick<MediaConverter, 'convert'>
  /** How long a message waits for its thumbnail. */
  readonly waitMs: () => number
}

/** Makes the thumbnails that phones show before they have the file. A message without one is sent anyway. */
export function createDescribeFile({ clock, converter, waitMs }: DescribeFileDeps): DescribeFile {
  const made = new Map<string, Promise<Buffer | undefined>>()

  async function make(accountId: AccountId, content: FileContent): Promise<Buffer | undefined> {
    const converted = await converter.convert(accountId, 'thumbnail', content)
    if (converted.kind === 'done') return converted.bytes
    // Next time the thread may be free.
    if (converted.kind !== 'unreadable') made.delete(content.hash)
    return undefined
  }

  function thumbnailOf(accountId: AccountId, content: FileContent): Promise<Buffer | undefined> {
    const known = made.get(content.hash)
    if (known !== undefined) return known
    const making = make(accountId, content)
    made.set(content.hash, making)
    const [oldest] = made.keys()
    if (made.size > REMEMBERED && oldest !== undefined) made.delete(oldest)
    return making
  }

  /** @returns undefined if it is not there in time. It is then made for the next message with this file. */
  async function inTime(making: Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const limit = startTimeout(clock, waitMs(), () => resolve(undefined))
    try {
      return await Promise.race([making, late])
    } finally {
      limit.cancel()
    }
  }

  return async (accountId, type, mimeType, content) => {
    const facts = await factsOfFile(type, mimeType, content)
    const { width = 0, height = 0 } = facts
    const isShown = type === 'image' || type === 'video' || (type === 'document' && mimeType.startsWith('image/'))
    if (!isShown || width * height === 0 || isTooLargeToDecode({ width, height })) return facts
    const thumbnail = await inTime(thumbnailOf(accountId, content))
    return thumbnail === undefined ? facts : { ...asShown(facts, thumbnail), thumbnail }
  }
}

/** Phones write portrait pictures as landscape ones that are to be turned. The thumbnail was turned already. */
function asShown(facts: MediaFacts, thumbnail: Buffer): MediaFacts {
  const { width = 0, height = 0 } = facts
  const shown = sizeOfPicture(thumbnail)
  if (shown === undefined || width === height || shown.width === shown.height) return facts
  return width > height === shown.width > shown.height ? facts : { ...facts, width: height, height: width }
}
