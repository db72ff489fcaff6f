import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

type SampleName = 'photo.jpg' | 'clip.mp4' | 'moving.gif' | 'tone.mp3' | 'tone.m4a'

/** Small files as people send them. The tones sound for a second and are silent for another. */
export const sampleFile = (name: SampleName): Buffer => readFileSync(resolve(import.meta.dirname, 'samples', name))

/** The photo as phones store it when they are held upright: to be turned when it is shown. */
export function turnedPhoto(): Buffer {
  const photo = sampleFile('photo.jpg')
  const orientation = Buffer.from('0112000300000001000600000000000000', 'hex').subarray(0, 12)
  const tiff = Buffer.concat([
    Buffer.from('4d4d002a00000008', 'hex'),
    Buffer.from('0001', 'hex'),
    orientation,
    Buffer.alloc(4),
  ])
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(exif.length + 2)
  return Buffer.concat([photo.subarray(0, 2), Buffer.from('ffe1', 'hex'), length, exif, photo.subarray(2)])
}

/** Sixteen bits, mono: loud for its first half. */
export function wave(seconds: number, rate = 8_000): Buffer {
  const samples = Buffer.alloc(seconds * rate * 2)
  for (let at = 0; at < (seconds * rate) / 2; at++) samples.writeInt16LE(Math.round(12_000 * Math.sin(at / 3)), at * 2)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
