/** A genuine sticker file of one pixel: RIFF, then a lossless VP8L chunk of 17 bytes. */
export const sampleWebp = (): Buffer => Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA=', 'base64')
