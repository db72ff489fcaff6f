const RATE = 16_000
const TONE_HZ = 330
const LOUDNESS = 4_000
const HEADER_BYTES = 44
/** About fifteen letters per second, like human speech. */
const SAMPLES_PER_LETTER = Math.round(RATE / 15)
const LONGEST_LETTERS = 600

/** Simulated speech: a tone as long as the text takes to say. A comment in the file contains the text. */
export function speak(text: string): { wav: Buffer; pcm: Buffer } {
  const letters = Math.min(Math.max(text.length, 5), LONGEST_LETTERS)
  const pcm = Buffer.alloc(2 * letters * SAMPLES_PER_LETTER)
  for (let at = 0; at < pcm.length / 2; at++) {
    pcm.writeInt16LE(Math.round(LOUDNESS * Math.sin((2 * Math.PI * TONE_HZ * at) / RATE)), at * 2)
  }
  const said = comment(text)
  return { pcm, wav: Buffer.concat([header(pcm.length, said.length), pcm, said]) }
}

/** The text passed to `speak`, if it created the file. */
export function spokenText(file: Buffer): string | null {
  const at = file.lastIndexOf('INFOICMT')
  if (at < 0) return null
  const bytes = file.readUInt32LE(at + 8)
  return file.toString('utf8', at + 12, at + 12 + bytes).replace(/(?<!\0)\0+$/, '')
}

function header(bytes: number, more: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  head.write('RIFF', 0)
  head.writeUInt32LE(HEADER_BYTES - 8 + bytes + more, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(bytes, 40)
  return head
}

function comment(text: string): Buffer {
  const bytes = Buffer.from(text)
  // Chunks of a RIFF file have an even length.
  const even = bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)])
  const head = Buffer.alloc(20)
  head.write('LIST', 0)
  head.writeUInt32LE(12 + even.length, 4)
  head.write('INFOICMT', 8)
  head.writeUInt32LE(even.length, 16)
  return Buffer.concat([head, even])
}

/** Fields and files of a form, by name. */
export async function formOf(body: Buffer, contentType: string): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    return null
  }
}
