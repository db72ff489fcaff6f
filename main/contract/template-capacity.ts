/** People are warned from this share of Meta's limit of templates. */
const NEARLY = 0.9

/** Whether a business account has nearly reached Meta's limit of templates. */
export const isNearlyFull = ({ count, limit }: { readonly count: number; readonly limit: number }): boolean =>
  count >= limit * NEARLY
