import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDocumentReader, type DocumentReader, type StartDocuments } from '../../../main/kernel/documents/index.ts'
import { contentOf, type FileContent } from '../../../main/kernel/file-content.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'

/** What the reader sent to each process that it started, and which processes it killed. */
interface Started {
  readonly said: string[]
  isKilled: boolean
  readonly hear: Parameters<StartDocuments>[0]
  readonly exit: (reason?: string) => void
}

let clock: FakeClock
let started: Started[]
let reader: DocumentReader

const start: StartDocuments = (hear, exit) => {
  const made: Started = { said: [], isKilled: false, hear, exit }
  started.push(made)
  return {
    send: (message) => void made.said.push(message.kind === 'part' ? String(Buffer.from(message.bytes)) : message.kind),
    kill: () => (made.isKilled = true),
  }
}

beforeEach(() => {
  clock = fakeClock()
  started = []
  reader = createDocumentReader({ clock, log: silentLog, start })
})
afterEach(() => reader.close())

const begin = (text = 'A word.') => reader.read('text', contentOf(Buffer.from(text)))
const process = async (count: number) => {
  await expect.poll(() => started.length).toBe(count)
  const [last] = started.slice(-1)
  if (last === undefined) throw new Error('no process was started')
  return last
}
const toldToBegin = (of: Started, times: number) =>
  expect.poll(() => of.said.filter((said) => said === 'begin').length).toBe(times)

async function readOne(): Promise<void> {
  const reading = begin()
  const child = await process(1)
  child.hear({ kind: 'read', passages: [] })
  await reading
}

describe('the process that reads documents', () => {
  test('is not started before the first document', () => expect(started).toEqual([]))

  test('reads documents one after another, and ends when it is idle', async () => {
    await readOne()
    const [child] = started
    const second = begin()
    await toldToBegin(child!, 2)
    await clock.advance(25_000)
    expect(child?.isKilled).toBe(false)
    child?.hear({ kind: 'read', passages: [] })
    expect(await second).toMatchObject({ kind: 'read' })
    await clock.advance(25_000)
    expect(started).toHaveLength(1)
    expect(child?.isKilled).toBe(true)
  })

  test('is given one document at a time', async () => {
    const [first, second] = [begin(), begin()]
    const child = await process(1)
    await toldToBegin(child, 1)
    child.hear({ kind: 'read', passages: [] })
    await first
    await toldToBegin(child, 2)
    child.hear({ kind: 'read', passages: [] })
    await second
  })

  test('gets the parts of a document on request', async () => {
    const content: Pick<FileContent, 'size' | 'parts'> = {
      size: 6,
      async *parts() {
        yield Buffer.from('one')
        yield Buffer.from('two')
      },
    }
    const reading = reader.read('text', content)
    const child = await process(1)
    child.hear({ kind: 'more' })
    await expect.poll(() => child.said).toEqual(['begin', 'one'])
    child.hear({ kind: 'more' })
    await expect.poll(() => child.said).toEqual(['begin', 'one', 'two'])
    child.hear({ kind: 'read', passages: [] })
    await reading
  })

  test('ends after a document that it could not read, to free its memory', async () => {
    const reading = begin()
    const child = await process(1)
    child.hear({ kind: 'failed', problem: 'too_much_memory' })
    expect(await reading).toMatchObject({ kind: 'failed', problem: 'too_much_memory' })
    expect(child.isKilled).toBe(true)
  })

  test('that dies in the middle of a document reports it as unavailable, and the next one is read', async () => {
    const reading = begin()
    ;(await process(1)).exit('signal SIGKILL')
    expect(await reading).toMatchObject({ kind: 'unavailable' })
    const next = begin()
    ;(await process(2)).hear({ kind: 'read', passages: [] })
    expect(await next).toMatchObject({ kind: 'read' })
  })

  test('ends with the service, and waiting documents are not read', async () => {
    const waiting = [begin(), begin()]
    const child = await process(1)
    await reader.close()
    expect(child.isKilled).toBe(true)
    expect(await Promise.all(waiting)).toMatchObject([{ kind: 'unavailable' }, { kind: 'unavailable' }])
    expect(started).toHaveLength(1)
  })

  test('that cannot be started reports the document as unavailable', async () => {
    const none = createDocumentReader({
      ...{ clock, log: silentLog },
      start() {
        throw new Error('spawn EAGAIN')
      },
    })
    expect(await none.read('text', contentOf(Buffer.from('a')))).toMatchObject({ kind: 'unavailable' })
  })

  test('is not left running when a file cannot be read', async () => {
    const reading = reader.read('text', {
      size: 3,
      parts: () => {
        throw new Error('EIO')
      },
    })
    expect(await reading).toMatchObject({ kind: 'unavailable' })
    expect(started.every(({ isKilled }) => isKilled)).toBe(true)
  })
})
