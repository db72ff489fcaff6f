/** Seconds of `?t=12.5` as milliseconds; undefined if there is no such number. */
export function momentOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : NaN
  return Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined
}

/** `?t=` of a position. Exact enough that a line of the transcript begins where it did. */
export const momentText = (ms: number): string => String(Math.round(ms / 10) / 100)

interface LinkPlace {
  readonly instanceId: string
  readonly recordingId: string
  readonly atMs: number
  /** In the desktop app no address of the page opens anything elsewhere; its own links do. */
  readonly isDesktop: boolean
  /** Of the page, without its route. */
  readonly pageUrl: string
}

/** A link that opens a recording at a moment, for whoever may use this console. */
export function momentLink({ instanceId, recordingId, atMs, isDesktop, pageUrl }: LinkPlace): string {
  const route = `/recordings/${instanceId}/${recordingId}?t=${momentText(atMs)}`
  return isDesktop ? `switchboard:/${route}` : `${pageUrl}#${route}`
}
