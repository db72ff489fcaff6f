import { deflateSync } from 'node:zlib'
import { zipSync, strToU8 } from 'fflate'

interface PdfLine {
  /** Columns are separated by a vertical bar. */
  readonly text: string
  readonly isBold?: boolean
  /** Of the letters, in points; default 11. */
  readonly size?: number
}

/** A PDF with these lines on each page, as a simple program writes it. */
export function pdf(pages: readonly (readonly PdfLine[])[], { isEncrypted = false } = {}): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${String(pages.length)} /Kids [${pages.map((_, at) => `${String(5 + at * 2)} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((lines, at) => {
      const content = contentOf(lines)
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${String(6 + at * 2)} 0 R >>`,
        `<< /Length ${String(Buffer.byteLength(content, 'latin1'))} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ]
  const secret = '<' + 'ab'.repeat(32) + '>'
  const encryption = isEncrypted
    ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /O ${secret} /U ${secret} /P -4 >> /ID [<00> <00>]`
    : ''
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, at) => {
    const offset = text.length
    text += `${String(at + 1)} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = text.length
  const size = String(objects.length + 1)
  text += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  text += `trailer << /Size ${size} /Root 1 0 R${encryption} >>\nstartxref\n${String(start)}\n%%EOF`
  return Buffer.from(text, 'latin1')
}

function contentOf(lines: readonly PdfLine[]): string {
  let y = 780
  return lines
    .map(({ text, size = 11, isBold = false }) => {
      y -= size * 1.3
      const font = `/${isBold ? 'F2' : 'F1'} ${String(size)} Tf`
      const columns = text.replace(/[()\\]/g, '\\$&').split('|')
      const shown = columns.map((column, at) => `1 0 0 1 ${String(50 + at * 150)} ${y.toFixed(1)} Tm (${column}) Tj`)
      return `BT ${font} ${shown.join(' ')} ET`
    })
    .join('\n')
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

/** A Word document whose body is this. */
export function docx(body: string, others: Record<string, Uint8Array> = {}): Buffer {
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8(
        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${word}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${word}.styles+xml"/></Types>`,
      ),
      '_rels/.rels': strToU8(
        `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
      ),
      'word/_rels/document.xml.rels': strToU8(
        `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
      ),
      'word/styles.xml': strToU8(
        `<w:styles ${WORD}>${[1, 2].map((level) => `<w:style w:type="paragraph" w:styleId="Heading${String(level)}"><w:name w:val="heading ${String(level)}"/></w:style>`).join('')}</w:styles>`,
      ),
      'word/document.xml': strToU8(`<w:document ${WORD}><w:body>${body}</w:body></w:document>`),
      ...others,
    }),
  )
}

export const paragraph = (text: string, style?: string) =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`

export const boldParagraph = (text: string) => `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>${text}</w:t></w:r></w:p>`

/** A cell is its text, or paragraphs. */
export const table = (rows: readonly (readonly string[])[]) =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${cell.startsWith('<') ? cell : paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`

/** A page that unpacks to so many bytes: a few hundred kilobytes become hundreds of megabytes. */
export function pdfThatUnpacksTo(bytes: number): Buffer {
  const content = deflateSync(Buffer.alloc(bytes, ' '))
  const head = [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>endobj',
    `4 0 obj<</Length ${content.length}/Filter/FlateDecode>>stream\n`,
  ].join('\n')
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF')])
}
