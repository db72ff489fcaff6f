import { ApiError } from '../../contract/errors.ts'
import { judgeOrigin, type JudgedOrigin } from '../../contract/widget-origin.ts'

/** @throws ApiError validation_error */
export function readOrigin(text: string): string {
  const judged = judgeOrigin(text)
  if (judged.fault === null) return judged.origin
  throw new ApiError(
    'validation_error',
    `allowed_origins has ${JSON.stringify(text.slice(0, 100))}, which ${reasonOf(judged)}.`,
  ).because(`origin_${judged.fault}`, { text: text.slice(0, 100) })
}

function reasonOf({ fault, origin }: Extract<JudgedOrigin, { fault: string }>): string {
  switch (fault) {
    case 'not_an_origin':
      return 'is not an origin such as https://www.example.com'
    case 'more_than_origin':
      return `has more than scheme, host and port.${origin === null ? '' : ` Use ${origin}`}`
    case 'wildcard':
      return 'has a wildcard. Name every origin'
    case 'http':
      return 'is http. Browsers allow the microphone on https pages only; http works for loopback addresses'
  }
}

/** Whether a page with exactly this origin may show the widget. Sandboxed frames and files send `null`. */
export const isAllowedOrigin = (origin: string | undefined, allowed: readonly string[]): boolean =>
  origin !== undefined && origin !== 'null' && allowed.includes(origin)
