export interface FileRule {
  /**
   * Extensions with their dot, in lower case. Media types are not checked, because systems report different ones for
   * CSV files.
   */
  readonly endings: readonly string[]
  readonly maxBytes: number
}

/** Why a file cannot be taken; undefined if it can. */
export function findFileProblem(
  { name, size }: Pick<File, 'name' | 'size'>,
  { endings, maxBytes }: FileRule,
): 'ending' | 'empty' | 'tooLarge' | undefined {
  if (!endings.some((ending) => name.toLowerCase().endsWith(ending))) return 'ending'
  if (size === 0) return 'empty'
  return size > maxBytes ? 'tooLarge' : undefined
}
