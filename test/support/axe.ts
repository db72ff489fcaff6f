import Axe from 'axe-core'
import type { Page } from 'playwright-core'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']

/** All that light and dark do not have in common. */
const OF_COLOUR = ['color-contrast', 'link-in-text-block']

/** All that depends on how much room there is. */
const OF_SIZE = ['target-size', 'scrollable-region-focusable']

const RUN_ONLY = {
  all: { type: 'tag', values: RULES },
  'all but colour': { type: 'tag', values: RULES },
  colour: { type: 'rule', values: OF_COLOUR },
  size: { type: 'rule', values: OF_SIZE },
} as const satisfies Record<string, Axe.RunOnly>

/** What is looked at: by which rules, and what is left out because it was looked at before. */
interface Look {
  readonly rules?: keyof typeof RUN_ONLY
  readonly besides?: string
}

/** The rules of accessibility that the page as it stands breaks, each with what breaks it; none is what we want. */
export async function brokenRules(page: Page, { rules = 'all', besides }: Look = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(Axe.source)
  const disabled = Object.fromEntries(OF_COLOUR.map((rule) => [rule, { enabled: false }]))
  const options: Axe.RunOptions = {
    runOnly: RUN_ONLY[rules],
    ...(rules === 'all but colour' && { rules: disabled }),
    // Only violations are told in full: saying what passed takes six times as long.
    resultTypes: ['violations'],
  }
  return page.evaluate(
    async ({ exclude, wanted }) => {
      const { axe } = window as unknown as { axe: typeof Axe }
      // What fades has too little contrast for a moment. What goes on for longer does not fade.
      const fading = document
        .getAnimations()
        .filter(({ effect }) => Number(effect?.getComputedTiming().endTime) < 1_000)
      await Promise.allSettled(fading.map(({ finished }) => finished))
      const { violations } = await axe.run(exclude === undefined ? document : { exclude }, wanted)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    },
    { exclude: besides, wanted: options },
  )
}
