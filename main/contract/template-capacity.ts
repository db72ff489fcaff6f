/** From this share of the templates that Meta allows on, people are warned. */
const NEARLY = 0.9

/** Whether a business account will soon have as many templates as Meta allows. */
export const isNearlyFull = ({ count, limit }: { readonly count: number; readonly limit: number }): boolean =>
  count >= limit * NEARLY
