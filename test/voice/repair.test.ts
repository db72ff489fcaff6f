import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readPages } from '../../main/kernel/ogg.ts'
import { FRAME } from '../../main/voice/audio.ts'
import { createRecorder, type Recorder } from '../../main/voice/recorder.ts'
import { repairRecording } from '../../main/voice/repair.ts'
import { until } from '../support/service-process.ts'

const FRAMES_PER_SECOND = 50
const noise = Int16Array.from({ length: FRAME }, (_, i) => ((i * 7_919) % 8_192) - 4_096)
let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'switchboard-repair-'))))
afterEach(() => rm(folder, { recursive: true }))

const record = (recorder: Recorder, seconds: number) => {
  for (let frame = 0; frame < seconds * FRAMES_PER_SECOND; frame++) recorder.add(noise, noise)
}

test('keeps a repaired recording while the process that recorded it still writes', async () => {
  const path = join(folder, 'call.ogg.part')
  const recorder = await createRecorder({ path, title: 'Call', isSandbox: true, onFailed() {} })
  record(recorder, 4)
  await until('three pages of sound', async () => readPages(await readFile(path)).length >= 5)
  const facts = await repairRecording(path)
  const repaired = await readFile(path)
  expect(facts).toMatchObject({ hasAudio: true })
  expect(facts?.durationMs).toBeGreaterThanOrEqual(2_900)
  expect(readPages(repaired).reduce((bytes, { length }) => bytes + length, 0)).toBe(repaired.length)

  record(recorder, 4)
  await recorder.close()
  expect(await readFile(path)).toEqual(repaired)
  expect(await readdir(folder)).toEqual(['call.ogg.part'])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('leaves files alone that are not recordings', async () => {
  expect(await repairRecording(join(folder, 'none.ogg.part'))).toBeNull()
})
