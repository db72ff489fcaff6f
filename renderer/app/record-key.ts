import type { RouteLocationMatched, RouteLocationNormalizedLoaded } from 'vue-router'

/**
 * A record's screen is recreated for another record, so that a form never saves to the previous one.
 * @returns undefined for a screen that shows several records in turn, such as the inbox.
 */
export function recordKey({ matched, path }: Pick<RouteLocationNormalizedLoaded, 'matched' | 'path'>) {
  const [screen] = matched
  return screen !== undefined && isOfOneRecord(screen) ? path : undefined
}

const isOfOneRecord = ({ path, props }: RouteLocationMatched): boolean =>
  props['default'] === true && path.includes(':') && !path.includes('?')
