const DAY_MS = 86_400_000

/** On the official engine free text is allowed only within 24 hours of the other side's last message. */
export const isWindowClosed = (
  engine: string | undefined,
  lastInboundAt: string | null | undefined,
  nowMs: number,
): boolean =>
  engine === 'official' &&
  lastInboundAt !== undefined &&
  (lastInboundAt === null || nowMs - Date.parse(lastInboundAt) > DAY_MS)
