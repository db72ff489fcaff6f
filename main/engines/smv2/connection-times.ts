/** Until a connection stands, and until a query is answered. */
export const CONNECT_MS = 20_000
export const KEEP_ALIVE_MS = 30_000
