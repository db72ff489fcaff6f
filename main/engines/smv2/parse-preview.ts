import type { proto } from 'baileys'
import type { MediaPreview } from '../received.ts'

type Media =
  | proto.Message.IImageMessage
  | proto.Message.IVideoMessage
  | proto.Message.IAudioMessage
  | proto.Message.IDocumentMessage
  | proto.Message.IStickerMessage

const LONGEST_SECONDS = 24 * 3_600
const BARS = 64
/** Phones send less than half of it. */
const MOST_THUMBNAIL_BYTES = 12 * 1_024

/** What a phone writes beside a file. Strangers write it: what is out of bounds is left out. */
export function previewOf(media: Media): MediaPreview | null {
  const seconds = ('seconds' in media && media.seconds) || 0
  const bars = [...(('waveform' in media && media.waveform) || [])]
  const picture = ('jpegThumbnail' in media && media.jpegThumbnail) || Buffer.alloc(0)
  const preview = {
    seconds: seconds > 0 && seconds <= LONGEST_SECONDS ? seconds : null,
    waveform: bars.length === BARS && bars.every((bar) => bar <= 100) ? bars : null,
    thumbnail: isSmallJpeg(picture) ? Buffer.from(picture).toString('base64') : null,
  }
  return Object.values(preview).every((value) => value === null) ? null : preview
}

const isSmallJpeg = (bytes: Uint8Array) =>
  bytes[0] === 0xff && bytes[1] === 0xd8 && bytes.length <= MOST_THUMBNAIL_BYTES
