/** A one-page PDF with text for sandbox invoices, in a font that every reader has. */
export function pdfOf(title: string, lines: readonly string[]): Buffer {
  const text = [
    'BT /F1 18 Tf 56 780 Td 22 TL',
    `(${literal(title)}) Tj T*`,
    '/F1 11 Tf 16 TL T*',
    ...lines.map((line) => `(${literal(line)}) Tj T*`),
    'ET',
  ].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${String(text.length)} >>\nstream\n${text}\nendstream`,
  ]
  const parts = ['%PDF-1.4\n']
  const offsets: number[] = []
  const size = () => parts.reduce((sum, part) => sum + part.length, 0)
  for (const [i, object] of objects.entries()) {
    offsets.push(size())
    parts.push(`${String(i + 1)} 0 obj\n${object}\nendobj\n`)
  }
  const start = size()
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  parts.push(`xref\n0 ${String(objects.length + 1)}\n0000000000 65535 f \n${entries.join('')}`)
  parts.push(`trailer\n<< /Size ${String(objects.length + 1)} /Root 1 0 R >>\nstartxref\n${String(start)}\n%%EOF\n`)
  // One byte per character: WinAnsi and Latin-1 are the same for the characters used here.
  return Buffer.from(parts.join(''), 'latin1')
}

/** Characters the font does not have are replaced. */
const literal = (text: string): string =>
  text
    .replaceAll('×', 'x')
    .replaceAll(/[–—]/g, '-')
    .replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, '?')
    .replaceAll(/[\\()]/g, (character) => `\\${character}`)
