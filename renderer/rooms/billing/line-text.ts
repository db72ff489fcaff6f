/** What a line of an invoice is for. The payment provider describes it in English; known forms are read from that. */
export interface LineText {
  /** Key below `billing.line`, with `name` in it. */
  readonly words: 'unused' | 'remaining' | 'several' | 'one'
  readonly name: string
  readonly quantity: number
}

const PERIOD = /^(\d{1,6}) × (.{1,200}) \(at [^()]{1,40}\)$/
const CHANGE = /^(Unused|Remaining) time on (.{1,200}?)(?: after \d{1,2} \w{3} \d{4})?$/

/** @returns undefined for any other description, which is shown as it is. */
export function readLine(description: string): LineText | undefined {
  const [, kind, changed] = CHANGE.exec(description) ?? []
  if (changed !== undefined)
    return { words: kind === 'Unused' ? 'unused' : 'remaining', name: nameOf(changed), quantity: 1 }
  const [, count, name] = PERIOD.exec(description) ?? []
  if (name === undefined) return undefined
  const quantity = Number(count)
  return { words: quantity > 1 ? 'several' : 'one', name, quantity }
}

/** Without the number of pieces before it: `5 × Extra slots`. */
const nameOf = (text: string) => text.replace(/^1 × /, '')
