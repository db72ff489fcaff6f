import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { blocksOfDocx } from '../../../main/kernel/documents/docx.ts'
import { createDocumentReader, type DocumentType } from '../../../main/kernel/documents/index.ts'
import { contentOf, type FileContent } from '../../../main/kernel/file-content.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { patientClock } from '../../support/clock.ts'
import { startTestDocuments } from '../../support/media-program.ts'
import { docx, paragraph, pdfThatUnpacksTo } from './samples.ts'
import { slowness } from '../../support/loop-stretch.ts'

const deps = { clock: patientClock, log: silentLog, start: startTestDocuments }

describe('documents made to overload the reader', () => {
  test('a text of 20 MB leaves the service responsive', async () => {
    const reader = createDocumentReader(deps)
    const sentence = 'O prazo de entrega é de sete dias úteis depois da confirmação do pagamento.\n'
    const bytes = Buffer.from(sentence.repeat(250_000)).subarray(0, 20 * 1024 * 1024)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const read = await reader.read('text', contentOf(bytes))
    delay.disable()
    expect(read).toMatchObject({ kind: 'failed', problem: 'too_long' })
    expect(delay.max / 1e6 / slowness()).toBeLessThan(500)
    await reader.close()
  })

  test('a document that fills the memory of its thread is given up, and the next one is read', async () => {
    const reader = createDocumentReader({ ...deps, limits: { ms: 60_000, memoryMb: 16 } })
    const huge = Buffer.from('word. Next '.repeat(1_700_000))
    expect(await reader.read('text', contentOf(huge))).toMatchObject({ kind: 'failed', problem: 'too_much_memory' })
    expect(await reader.read('text', contentOf(Buffer.from('Aberto.')))).toMatchObject({ kind: 'read' })
    await reader.close()
  })

  test('twenty decompression bombs use no memory of the service', async () => {
    const reader = createDocumentReader(deps)
    const bombs: [DocumentType, FileContent][] = [
      ['pdf', contentOf(pdfThatUnpacksTo(400_000_000))],
      ['docx', contentOf(docx(paragraph('a'), { 'word/comments.xml': Buffer.alloc(120 * 1024 * 1024) }))],
    ]
    for (const [, { size }] of bombs) expect(size).toBeLessThan(1024 * 1024)
    // Making them took memory here.
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    let most = 0
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 10)
    for (let n = 0; n < 10; n++)
      for (const [type, bomb] of bombs)
        expect(await reader.read(type, bomb)).toMatchObject({ kind: 'failed', problem: 'too_much_memory' })
    clearInterval(look)
    expect(most).toBeLessThan(48 * 1024 * 1024)
    await reader.close()
  })

  test('a Word document that unpacks to far more than its size is refused', async () => {
    const bomb = docx(paragraph('a'), { 'word/comments.xml': Buffer.alloc(120 * 1024 * 1024) })
    expect(bomb.length).toBeLessThan(1024 * 1024)
    await expect(blocksOfDocx(bomb)).rejects.toMatchObject({ reason: 'too_much_memory' })
  })
})
