import { buffer } from 'node:stream/consumers'
import type { ReceivedFile } from '../../main/engines/direct.ts'

/** Everything in a file; undefined if there is none. */
export const bytesOf = async (file: ReceivedFile | null | undefined): Promise<Buffer | undefined> =>
  file ? buffer(await file.content.read()) : undefined
