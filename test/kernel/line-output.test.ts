import { expect, test } from 'vitest'
import { createLineOutput } from '../../main/kernel/line-output.ts'
import { fakeClock } from '../support/clock.ts'

/** A file on a disk with this much room. */
function disk(room = Infinity) {
  const clock = fakeClock()
  const file = { text: '', tries: 0, room, code: 'ENOSPC' }
  const output = createLineOutput({
    fd: 2,
    clock,
    write(_fd, bytes, done) {
      file.tries += 1
      const fits = bytes.subarray(0, file.room)
      file.room -= fits.length
      file.text += fits.toString()
      const error = fits.length === 0 ? Object.assign(new Error('write failed'), { code: file.code }) : null
      queueMicrotask(() => done(error, fits.length))
    },
  })
  const changes: (string | null)[] = []
  output.onChange(() => changes.push(output.problem()))
  return { clock, file, output, changes }
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`)

test('lines that arrive during a write follow it in order', async () => {
  const { clock, file, output, changes } = disk()
  for (const line of lines(1, 100)) output.write(line)
  await clock.advance(1)
  expect(file.text).toBe(lines(1, 100).join(''))
  expect(file.tries).toBe(2)
  expect(output.problem()).toBeNull()
  expect(changes).toEqual([])
})

test('D-09 a full disk drops lines without trying each, counts them, and reports when it can write again', async () => {
  const { clock, file, output, changes } = disk('line 1\nlin'.length)
  for (const line of lines(1, 5)) output.write(line)
  await clock.advance(1)
  expect(file.text).toBe('line 1\nlin')
  const { tries } = file
  for (const line of lines(6, 1_000)) output.write(line)
  expect(file.tries).toBe(tries)
  expect(output.problem()).toContain('ENOSPC). 999 lines are lost so far. Check free space')

  await clock.advance(60_000)
  expect(file.tries - tries).toBeLessThanOrEqual(12)
  file.room = Infinity
  await clock.advance(5_000)
  output.write('line 1001\n')
  await clock.advance(1)
  expect(file.text).toBe('line 1\nlin\n{"event":"log.lines_lost","lines":999}\nline 1001\n')
  expect(output.problem()).toBeNull()
  expect(changes).toEqual([expect.stringContaining('ENOSPC'), null])
})

test('a busy pipe delays lines and loses none', async () => {
  const { clock, file, output, changes } = disk(0)
  file.code = 'EAGAIN'
  for (const line of lines(1, 5)) output.write(line)
  await clock.advance(250)
  file.room = Infinity
  await clock.advance(100)
  expect(file.text).toBe(lines(1, 5).join(''))
  expect(changes).toEqual([])
})

test('for a stalled reader a bounded amount is buffered, and the reader is told how many lines were lost', async () => {
  const { clock, file, output } = disk(0)
  file.code = 'EAGAIN'
  const long = `${'x'.repeat(999)}\n`
  for (let count = 0; count < 2_000; count++) output.write(long)
  await clock.advance(1_000)
  file.room = Infinity
  await clock.advance(1_000)
  const written = file.text.split('\n').filter((line) => line.startsWith('x')).length
  expect(written).toBeGreaterThan(1_000)
  expect(written).toBeLessThan(1_100)
  expect(file.text).toContain(`{"event":"log.lines_lost","lines":${2_000 - written}}\n`)
})
