import type { FileContent } from '../../kernel/file-content.ts'

/** A page tree node may be cut by the end of a part. */
const NODE_CHARACTERS = 4_096
/** A file may be made of nothing but page trees. */
const MOST_NODES = 2_000

/**
 * How many pages a PDF says it has. The root of its page tree counts all of them, and smaller trees count theirs, so the
 * largest number is right. undefined if the tree is compressed, or the file is no PDF.
 */
export async function pagesOfPdf(content: Pick<FileContent, 'parts'>): Promise<number | undefined> {
  let pages = 0
  let nodes = 0
  let text = ''
  for await (const part of content.parts()) {
    text = text.slice(-2 * NODE_CHARACTERS) + Buffer.from(part).toString('latin1')
    for (const { index } of text.matchAll(/\/Type\s{0,8}\/Pages\b/g)) {
      if (++nodes > MOST_NODES) return pages || undefined
      pages = Math.max(pages, countIn(objectAround(text, index)))
    }
  }
  return pages || undefined
}

function objectAround(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - NODE_CHARACTERS), at)
  const after = text.slice(at, at + NODE_CHARACTERS)
  const end = after.indexOf('endobj')
  return before.slice(before.lastIndexOf('endobj') + 1) + (end === -1 ? after : after.slice(0, end))
}

const countIn = (object: string): number => Number(/\/Count\s{1,8}(\d{1,6})/.exec(object)?.[1] ?? 0)
