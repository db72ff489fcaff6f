import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'

/** What an independent decoder reads from a picture of the window. */
export async function codeOnScreen(page: Page): Promise<string | undefined> {
  return codeIn(await page.screenshot())
}

/** What it reads from the picture that the API gives. @param picture a data: address. */
export function decodeQr(picture: string): string {
  const text = codeIn(Buffer.from(picture.slice(picture.indexOf(',') + 1), 'base64'))
  if (text === undefined) throw new Error('no code in this picture')
  return text
}

function codeIn(png: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(png)
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data
}
