import type { Page } from 'playwright-core'

/** What is new on the page: these words, or one row more in its table. */
export type Sign = { readonly words: string } | { readonly rowsBeyond: number }

/** Milliseconds from before a change was asked for until it stood on the page, by the page's own observer. */
export async function timeToSee(page: Page, sign: Sign, change: () => Promise<unknown>): Promise<number> {
  // Not awaited: what is there already when the page comes to look is found as well.
  const seen = page.evaluate(whenSeen, sign)
  const askedAtMs = performance.timeOrigin + performance.now()
  await change()
  return (await seen) - askedAtMs
}

/** Rows of the table on the page, also those that are not laid out. */
export async function rowsOf(page: Page): Promise<number> {
  const rows = await page.evaluate(() => Number(document.querySelector('[role=table]')?.ariaRowCount ?? 1))
  if (rows < 0) throw new Error('The table has more rows than it knows of: one more would not be seen.')
  return rows
}

/** Runs in the page. @returns the wall clock. */
function whenSeen(sign: Sign): Promise<number> {
  const isThere = () =>
    'words' in sign
      ? document.body.textContent.includes(sign.words)
      : Number(document.querySelector('[role=table]')?.ariaRowCount ?? 1) > sign.rowsBeyond
  const PATIENCE_MS = 60_000
  return new Promise((done, fail) => {
    setTimeout(() => fail(new Error(`${JSON.stringify(sign)} was not seen`)), PATIENCE_MS)
    const look = () => {
      if (!isThere()) return
      observer.disconnect()
      done(performance.timeOrigin + performance.now())
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true })
    look()
  })
}

/** @param share 0.5 for the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
