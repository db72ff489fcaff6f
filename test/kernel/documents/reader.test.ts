import { resolve } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import { blocksOfDocx } from '../../../main/kernel/documents/docx.ts'
import { blocksOfPdf } from '../../../main/kernel/documents/pdf.ts'
import {
  createDocumentReader,
  documentType,
  type DocumentType,
  type Passage,
} from '../../../main/kernel/documents/index.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { fakeClock, patientClock } from '../../support/clock.ts'
import { documentsStarter } from '../../../main/service/documents.ts'
import { startTestDocuments } from '../../support/media-program.ts'
import { boldParagraph, docx, paragraph, pdf, pdfThatUnpacksTo, table } from './samples.ts'

const SILENT = resolve(import.meta.dirname, 'silent-child.ts')
const reader = createDocumentReader({ clock: patientClock, log: silentLog, start: startTestDocuments })
afterAll(() => reader.close())

const read = (type: DocumentType, bytes: Buffer | string) => reader.read(type, contentOf(Buffer.from(bytes)))

async function passages(type: DocumentType, bytes: Buffer | string): Promise<readonly Passage[]> {
  const result = await read(type, bytes)
  if (result.kind !== 'read') throw new Error(result.sentence)
  return result.passages
}

const lines = (count: number, about: string) =>
  Array.from({ length: count }, (_, at) => ({ text: `Line ${String(at)} says something about ${about}.` }))

describe('a PDF', () => {
  test('that unpacks to far more than its size is given up', async () => {
    const small = createDocumentReader({
      ...{ clock: patientClock, log: silentLog, start: startTestDocuments },
      limits: { ms: 60_000, memoryMb: 32 },
    })
    const bomb = contentOf(pdfThatUnpacksTo(120_000_000))
    expect(await small.read('pdf', bomb)).toMatchObject({ kind: 'failed', problem: 'too_much_memory' })
    await small.close()
  })

  test('is split at its headings, and each passage knows its page', async () => {
    const found = await passages(
      'pdf',
      pdf([
        [{ text: 'Manual da loja', size: 24 }, { text: 'Trocas', size: 16 }, ...lines(4, 'trocas')],
        [{ text: 'Entregas', size: 16 }, ...lines(4, 'entregas'), { text: 'Não há entrega aos domingos.' }],
      ]),
    )
    expect(found.map(({ heading, page }) => [heading, page])).toEqual([
      ['Manual da loja › Trocas', 1],
      ['Manual da loja › Entregas', 2],
    ])
    expect(found[1]?.text).toContain('Não há entrega aos domingos.')
  })

  test('keeps lines, table rows and bold headings apart', async () => {
    const lines = [
      { text: 'Harbour Salon', size: 24 },
      { text: 'We have been cutting hair since 1990, with a great deal of care for all.' },
      { text: 'Opening hours', isBold: true },
      { text: 'Monday 9 to 18' },
      { text: 'Tuesday 9 to 20' },
      { text: 'Prices', size: 16 },
      { text: 'Service|Junior|Senior', isBold: true },
      { text: 'Cut|20|30' },
      { text: 'Can I pay by card?', isBold: true },
      { text: 'Yes.' },
    ]
    expect(await passages('pdf', pdf([lines]))).toEqual([
      { heading: 'Harbour Salon', page: 1, text: lines[1]?.text },
      { heading: 'Harbour Salon › Opening hours', page: 1, text: 'Monday 9 to 18\nTuesday 9 to 20' },
      { heading: 'Harbour Salon › Prices', page: 1, text: 'Service · Junior · Senior\nCut · 20 · 30' },
      { heading: 'Harbour Salon › Prices › Can I pay by card?', page: 1, text: 'Yes.' },
    ])
  })

  test('loses its headers and footers, and hyphenated words are joined', async () => {
    const pages = ['trocas', 'prazos', 'fretes', 'lojas'].map((about, at) => [
      { text: 'Loja Bella' },
      ...lines(2, `${about} of last year`),
      { text: 'Aceitamos paga-' },
      { text: 'mento por Pix.' },
      ...lines(2, about),
      { text: `Página ${String(at + 1)} de 4` },
    ])
    const text = (await passages('pdf', pdf(pages))).map((passage) => passage.text).join(' ')
    expect(text).toContain('Aceitamos pagamento por Pix.')
    expect(text).not.toMatch(/Loja Bella|Página/)
  })

  test.each([
    ['that is protected with a password', pdf([lines(5, 'x')], { isEncrypted: true }), 'encrypted'],
    ['of scanned pages', pdf([[{ text: '1' }], [{ text: '2' }]]), 'scanned'],
    ['that is cut off', pdf([lines(5, 'x')]).subarray(0, 40), 'broken'],
    ['that is something else', Buffer.from('GIF89a'), 'broken'],
    ['that is empty', Buffer.alloc(0), 'broken'],
  ])('%s is refused', async (_, bytes, reason) => {
    await expect(blocksOfPdf(new Uint8Array(bytes))).rejects.toMatchObject({ reason })
  })

  test('is refused with a sentence that says what to do', async () => {
    expect(await read('pdf', pdf([lines(5, 'x')], { isEncrypted: true }))).toEqual({
      kind: 'failed',
      problem: 'encrypted',
      sentence: 'The document is protected with a password. Save a copy without a password and upload that.',
    })
  })
})

describe('a Word document', () => {
  test('is read with its headings and tables', async () => {
    const found = await passages(
      'docx',
      docx(
        paragraph('Tabela de preços', 'Heading1') +
          paragraph('Cortes', 'Heading2') +
          paragraph('Valores de 2026 &amp; sem taxa.') +
          table([
            ['Corte feminino', 'R$ 80'],
            ['Corte masculino', 'R$ 50'],
          ]),
      ),
    )
    expect(found).toEqual([
      {
        heading: 'Tabela de preços › Cortes',
        page: null,
        text: 'Valores de 2026 & sem taxa.\nCorte feminino · R$ 80\nCorte masculino · R$ 50',
      },
    ])
  })

  test('laid out with a table has headings in its cells, which are not merged into the text', async () => {
    const cell = (heading: string, text: string) => paragraph(heading, 'Heading2') + paragraph(text)
    const found = await passages(
      'docx',
      docx(table([[cell('Opening hours', 'Monday to Friday.'), cell('Parking', 'Behind the shop.')]])),
    )
    expect(found).toEqual([
      { heading: 'Opening hours', page: null, text: 'Monday to Friday.' },
      { heading: 'Parking', page: null, text: 'Behind the shop.' },
    ])
  })

  test('has bold paragraphs read as headings, and questions kept above their answers', async () => {
    const found = await passages(
      'docx',
      docx(
        paragraph('Our shop', 'Heading1') +
          boldParagraph('Parking') +
          paragraph('Behind the shop.') +
          paragraph('Do you ship abroad?') +
          paragraph('Not yet.') +
          boldParagraph('The Harbour team'),
      ),
    )
    expect(found).toEqual([
      { heading: 'Our shop › Parking', page: null, text: 'Behind the shop.' },
      { heading: 'Our shop › Parking › Do you ship abroad?', page: null, text: 'Not yet.\nThe Harbour team' },
    ])
  })

  const old = Buffer.from('d0cf11e0a1b11ae1', 'hex')
  test.each([
    ['with a password', Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]), 'encrypted'],
    ['of the old format', Buffer.concat([old, Buffer.alloc(512)]), 'old_word'],
    ['that is another archive', Buffer.from(zipSync({ 'a.txt': Buffer.from('a') })), 'broken'],
    ['that is cut off', docx(paragraph('a')).subarray(0, 200), 'broken'],
  ])('%s is refused', async (_, bytes, reason) => {
    await expect(blocksOfDocx(bytes)).rejects.toMatchObject({ reason })
  })

  test.each([
    ['a ZIP64 directory', withZip64Directory],
    ['bytes before the archive', withBytesBefore],
  ])('whose other entries are hidden behind %s is refused, so that nothing is unpacked unchecked', async (_, hide) => {
    await expect(blocksOfDocx(hide(docx(paragraph('a')), docx(paragraph('b'))))).rejects.toMatchObject({
      reason: 'broken',
    })
  })
})

const END_BYTES = 22

/** Entries and directory, and the record that ends the archive. */
const partsOfZip = (zip: Buffer) => ({ content: zip.subarray(0, -END_BYTES), end: zip.subarray(-END_BYTES) })

/** The record names the directory of `shown`; a reader that allows for bytes in front finds the one of `hidden`. */
function withBytesBefore(shown: Buffer, hidden: Buffer): Buffer {
  return Buffer.concat([partsOfZip(shown).content, partsOfZip(hidden).content, partsOfZip(shown).end])
}

function withZip64Directory(shown: Buffer, hidden: Buffer): Buffer {
  const before = partsOfZip(shown).content
  const { content, end: hiddenEnd } = partsOfZip(Buffer.from(hidden))
  const size = hiddenEnd.readUInt32LE(12)
  const entries = hiddenEnd.readUInt16LE(10)
  const directory = hiddenEnd.readUInt32LE(16)
  let at = directory
  for (let left = entries; left > 0; left--) {
    content.writeUInt32LE(content.readUInt32LE(at + 42) + before.length, at + 42)
    at += 46 + content.readUInt16LE(at + 28) + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32)
  }
  const record = Buffer.alloc(56)
  record.write('PK\x06\x06', 'latin1')
  record.writeBigUInt64LE(44n, 4)
  for (const field of [24, 32]) record.writeBigUInt64LE(BigInt(entries), field)
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(before.length + directory), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeBigUInt64LE(BigInt(before.length + content.length), 8)
  locator.writeUInt32LE(1, 16)
  const end = Buffer.from(partsOfZip(shown).end)
  end.writeUInt16LE(0xffff, 4)
  return Buffer.concat([before, content, record, locator, end])
}

describe('a text file', () => {
  test('loses Markdown syntax and keeps its headings', async () => {
    const found = await passages(
      'markdown',
      '# Trocas\n\nVocê tem **30 dias**. Veja [a página](https://x.example).\n\n- com etiqueta\n- sem uso\n\n' +
        'Prazos\n------\n\n| Região | Dias |\n| --- | --- |\n| Sul | 3 |\n\n```\n# not a heading\n```\n',
    )
    expect(found).toEqual([
      { heading: 'Trocas', page: null, text: 'Você tem 30 dias. Veja a página.\ncom etiqueta\nsem uso' },
      { heading: 'Trocas › Prazos', page: null, text: 'Região · Dias\nSul · 3\n# not a heading' },
    ])
  })

  test('in Markdown has bold questions above their answers', async () => {
    const found = await passages(
      'markdown',
      '# FAQ\n\n**Do you ship abroad?** Not yet.\n\n**Can I return it?**\nWithin 30 days.\n\nAre you open today?\n\nYes.\n',
    )
    expect(found).toEqual([
      { heading: 'FAQ › Do you ship abroad?', page: null, text: 'Not yet.' },
      { heading: 'FAQ › Can I return it?', page: null, text: 'Within 30 days.' },
      { heading: 'FAQ › Are you open today?', page: null, text: 'Yes.' },
    ])
  })

  test('without markup has its headings, lines, items and questions recognized by its layout', async () => {
    const found = await passages(
      'text',
      [
        ...['Harbour Salon', '', 'OPENING HOURS', 'Monday 9 to 18', 'Tuesday 9 to 20', ''],
        ...['Parking', '-------', 'Behind the shop, where there is room for six cars and', 'a van.', ''],
        ...['What to bring:', '', '- a towel that is large', 'enough', '- a photo', ''],
        ...['Q: Do you take cards?', 'A: Yes.', '', 'Call 555 0100', '', 'Ask for Ann', ''],
      ].join('\n'),
    )
    expect(found).toEqual([
      { heading: 'Harbour Salon › OPENING HOURS', page: null, text: 'Monday 9 to 18\nTuesday 9 to 20' },
      {
        heading: 'Harbour Salon › Parking',
        page: null,
        text: 'Behind the shop, where there is room for six cars and a van.',
      },
      { heading: 'Harbour Salon › Parking › What to bring', page: null, text: 'a towel that is large enough\na photo' },
      {
        heading: 'Harbour Salon › Parking › What to bring › Do you take cards?',
        page: null,
        text: 'Yes.\nCall 555 0100\nAsk for Ann',
      },
    ])
  })

  test('in a Windows encoding keeps its accents', async () => {
    expect((await passages('text', Buffer.from('Horário: 8h às 18h.', 'latin1')))[0]?.text).toBe('Horário: 8h às 18h.')
  })

  test('with bytes that are not text is refused', async () => {
    expect(await read('text', Buffer.from([0, 1, 2, 3]))).toMatchObject({ kind: 'failed', problem: 'broken' })
  })
})

describe('the document reader', () => {
  test('refuses more than 20 MB without reading the file', async () => {
    const content = { size: 21 * 1024 * 1024, parts: () => expect.unreachable() }
    expect(await reader.read('pdf', content)).toMatchObject({ kind: 'failed', problem: 'too_large' })
  })

  test('gives up a document that takes too long', async () => {
    const clock = fakeClock()
    const start = documentsStarter({ documents: SILENT, thread: SILENT })
    const slow = createDocumentReader({ clock, log: silentLog, start })
    const reading = slow.read('text', contentOf(Buffer.from('A word.')))
    await clock.advance(61_000)
    expect(await reading).toMatchObject({ kind: 'failed', problem: 'too_slow' })
    await slow.close()
  })

  test('without the reader program, reports that nothing was read, and blames no document', async () => {
    const none = createDocumentReader({ clock: patientClock, log: silentLog, start: null })
    expect(await none.read('text', contentOf(Buffer.from('a')))).toMatchObject({ kind: 'unavailable' })
  })
})

test.each([
  ['Preços.PDF', 'application/octet-stream', 'pdf'],
  ['notes.md', 'text/plain', 'markdown'],
  ['contract.docx', '', 'docx'],
  ['file', 'text/plain; charset=utf-8', 'text'],
  ['photo.jpg', 'image/jpeg', undefined],
])('the type of %s (%s) is %s', (name, mimeType, type) => expect(documentType(name, mimeType)).toBe(type))
