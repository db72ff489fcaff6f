/** Separate from the schemas of shapes.ts, which the window does not need for its first screen. */
export const INSTANCE_STATUSES = [
  'created',
  'connecting',
  'qr',
  'connected',
  'disconnected',
  'auth_failed',
  'passkey_required',
  'recreating',
] as const
