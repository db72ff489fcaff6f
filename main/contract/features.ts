/** What a sub-account may be allowed to use besides numbers, messages and webhooks. */
export const FEATURES = ['campaigns', 'ai', 'voice', 'ghl', 'mcp'] as const
export type Feature = (typeof FEATURES)[number]
