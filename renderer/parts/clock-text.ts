/** `1:05`, or with hours `1:02:05`: a position in a recording, or the length of a call. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const end = String(s).padStart(2, '0')
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${end}` : `${m}:${end}`
}

/** Remaining time, counted down to `0:00`. */
export const leftText = (ms: number): string => clockText(Math.ceil(ms / 1_000) * 1_000)

/** The length of a recording, in the form of the list. */
export const lengthText = (ms: number): string => clockText(Math.round(ms / 1_000) * 1_000)
