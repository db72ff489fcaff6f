import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { toString as toText } from 'qrcode'

/** Reads the code from the image, like a phone's camera. @returns undefined if it cannot be read. */
export function readQrPicture(dataUri: string): string | undefined {
  const { data, width, height } = PNG.sync.read(Buffer.from(dataUri.slice(dataUri.indexOf(',') + 1), 'base64'))
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data
}

/** The code as lines of half blocks, with its margin. */
export async function drawQr(text: string): Promise<string[]> {
  const drawing = await toText(text, { type: 'utf8', margin: 2 })
  return drawing.split('\n').filter((line) => line !== '')
}
