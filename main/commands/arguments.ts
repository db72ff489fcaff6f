import { parseArgs, type ParseArgsConfig } from 'node:util'
import { CommandError } from './terminal.ts'

interface Accepted<O> {
  readonly usage: string
  readonly options: O
  /** How many words it takes besides its options. Default: none. */
  readonly words?: number
}

export const JSON_OPTION = { json: { type: 'boolean', default: false } } as const

/** Reads a command's own arguments. @throws CommandError with its usage. */
export function parseArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  { usage, options, words = 0 }: Accepted<O>,
) {
  const { values, positionals } = parse(argv, options, usage)
  const unknown = positionals.slice(words)
  if (unknown.length > 0) throw new CommandError(`Unknown argument: ${unknown.join(' ')}.\n${usage}`)
  return { ...values, words: positionals }
}

function parse<const O extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: O,
  usage: string,
) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    // Only Node's first sentence is about the option; the rest is about its parser.
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split('. ', 1)
    throw new CommandError(`${sentence}.\n${usage}`)
  }
}
