/**
 * Remembers what `compute` returned for each text.
 * @param compute a pure function that is too slow to repeat for every request.
 * @param max how many texts are remembered. All are forgotten when it is reached, which bounds the memory even if a
 *   client sends a new text every time.
 */
export function remember<T>(max: number, compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined || known.has(text)) return before as T
    if (known.size >= max) known.clear()
    const value = compute(text)
    known.set(text, value)
    return value
  }
}
