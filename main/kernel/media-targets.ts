import { VOICE_NOTE_RATE } from './voice-note.ts'

/** What a file can be turned into. */
export type MediaTarget = 'thumbnail' | 'card' | 'photo' | 'webp' | 'voice' | 'mp4'

interface TargetRule {
  /** Each lane has a thread of its own, so that long sounds do not delay pictures. */
  readonly lane: 'pictures' | 'recordings'
  /** How long it may wait for the thread. */
  readonly waitMs: number
  /** How long the conversion may take after that. */
  readonly limitMs: number
  /** Arguments of FFmpeg. The input is called `in`. */
  readonly args: readonly string[]
  readonly output: string
}

/** Fits into a square of this size; a smaller picture keeps its size. */
const within = (pixels: number) =>
  `scale=w=min(${pixels}\\,iw):h=min(${pixels}\\,ih):force_original_aspect_ratio=decrease`

/** The first picture as a small JPEG, transparent parts in white. */
const jpeg = (pixels: number): TargetRule => ({
  lane: 'pictures',
  // A message does not wait longer for its thumbnail, and is sent without it.
  ...{ waitMs: 2_000, limitMs: 3_000 },
  args: [
    ...['-i', 'in', '-map', '0:v:0', '-frames:v', '1', '-filter_complex'],
    `[0:v:0]${within(pixels)},format=rgba,split[a][b];[a]drawbox=c=white:replace=1:t=fill[w];[w][b]overlay,format=yuvj420p`,
    ...['-c:v', 'mjpeg', '-q:v', '6', '-f', 'image2', '-update', '1', 'out.jpg'],
  ],
  output: 'out.jpg',
})

/** WhatsApp shows stickers in this square. */
const STICKER = 512
const ON_STICKER = `scale=${STICKER}:${STICKER}:force_original_aspect_ratio=decrease,format=rgba,pad=${STICKER}:${STICKER}:-1:-1:color=black@0`
const MOST_STICKER_SECONDS = '6'

export const MEDIA_TARGETS: Readonly<Record<MediaTarget, TargetRule>> = {
  thumbnail: jpeg(128),
  card: jpeg(240),
  photo: { ...jpeg(2_048), waitMs: 10_000, limitMs: 10_000 },
  /** Animated where the input is. */
  webp: {
    lane: 'pictures',
    ...{ waitMs: 10_000, limitMs: 10_000 },
    args: [
      ...['-t', MOST_STICKER_SECONDS, '-i', 'in', '-map', '0:v:0', '-vf', `fps=fps=10:round=up,${ON_STICKER}`],
      ...['-c:v', 'libwebp_anim', '-loop', '0', '-quality', '60', '-compression_level', '3', '-f', 'webp', 'out.webp'],
    ],
    output: 'out.webp',
  },
  /**
   * Samples, which voice-note.ts encodes. In two steps, because the time stamps of a browser's recording are not kept
   * then, and FFmpeg cannot pack frames as phones do.
   */
  voice: {
    lane: 'recordings',
    ...{ waitMs: 10_000, limitMs: 10_000 },
    args: [...['-i', 'in', '-map', '0:a:0', '-ac', '1', '-ar', String(VOICE_NOTE_RATE), '-f', 's16le', 'out.pcm']],
    output: 'out.pcm',
  },
  /** H.264 without sound. Its size must be even. */
  mp4: {
    lane: 'recordings',
    ...{ waitMs: 10_000, limitMs: 10_000 },
    args: [
      ...['-i', 'in', '-map', '0:v:0', '-an', '-vf', `${within(640)},crop=trunc(iw/2)*2:trunc(ih/2)*2`],
      ...['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26'],
      ...['-movflags', '+faststart', '-f', 'mp4', 'out.mp4'],
    ],
    output: 'out.mp4',
  },
}
