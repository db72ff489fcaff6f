import { describe, expect, test } from 'vitest'
import { cutIntoPassages } from '../../../main/kernel/documents/passages.ts'
import { blocksOfMarkdown, blocksOfText } from '../../../main/kernel/documents/plain.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const SIZE = 100_000

/** Repeats that end in something that does not fit. */
const run = (part: string, end = 'x') => part.repeat(SIZE / part.length) + end

describe.each([
  ['spaces', run(' ')],
  ['a heading of spaces', `# ${run(' ')}`],
  ['a heading of spaces and number signs', `# a${run(' #')}`],
  ['a heading of number signs', `# a ${run('#')}`],
  ['a table without cells', run('| ')],
  ['a rule', run('- ')],
  ['opening brackets', run('[')],
  ['links that are not closed', run('[a](')],
  ['links in links', run('[a]((')],
  ['tags that are not closed', run('<a ')],
  ['stars', run('*')],
  ['emphasis that is not closed', run('*a ')],
  ['marks of every kind', run('**a__b*_c`~d~')],
  ['digits', run('1')],
  ['one word', run('a')],
  ['sentences', run('A. ')],
  ['short lines', run('a\n')],
  ['headings', run('# a\n')],
  ['carriage returns', run('\r')],
])('%s', (_name, content) => {
  test.each([
    ['Markdown', blocksOfMarkdown],
    ['text', blocksOfText],
  ])('A-07 are read in under half a second as %s', async (_format, blocksOf) => {
    const cut = async () => cutIntoPassages(await blocksOf(Buffer.from(content)))
    const read = () => cut().catch((error: unknown) => expect(error).toHaveProperty('reason'))
    expect(await cpuTime(read)).toBeLessThan(500)
  })
})
