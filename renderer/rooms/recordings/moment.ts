/** Converts the seconds of `?t=12.5` to milliseconds; undefined if the value is not a number. */
export function momentOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : NaN
  return Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined
}

/** The value of `?t=` for a position, in seconds. Two decimals are precise enough to find the same transcript line. */
export const momentText = (ms: number): string => String(Math.round(ms / 10) / 100)

interface LinkPlace {
  readonly instanceId: string
  readonly recordingId: string
  readonly atMs: number
  /** In the desktop app, the page's own address does not work elsewhere, so the app's link scheme is used. */
  readonly isDesktop: boolean
  /** The address of the page without its route. */
  readonly pageUrl: string
}

/** A link that opens a recording at a position, for people who can sign in to this console. */
export function momentLink({ instanceId, recordingId, atMs, isDesktop, pageUrl }: LinkPlace): string {
  const route = `/recordings/${instanceId}/${recordingId}?t=${momentText(atMs)}`
  return isDesktop ? `switchboard:/${route}` : `${pageUrl}#${route}`
}
