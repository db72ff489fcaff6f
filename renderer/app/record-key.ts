import type { RouteLocationMatched, RouteLocationNormalizedLoaded } from 'vue-router'

/**
 * A screen of one record starts afresh for another record, so that a form never saves to the one before.
 * @returns undefined for a screen that shows records one after another, such as the inbox.
 */
export function recordKey({ matched, path }: Pick<RouteLocationNormalizedLoaded, 'matched' | 'path'>) {
  const [screen] = matched
  return screen !== undefined && isOfOneRecord(screen) ? path : undefined
}

const isOfOneRecord = ({ path, props }: RouteLocationMatched): boolean =>
  props['default'] === true && path.includes(':') && !path.includes('?')
