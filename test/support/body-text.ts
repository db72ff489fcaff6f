import type { OutboundRequest } from '../../main/outbound/outbound.ts'

/** The text of a request's body; a file that is streamed has none. */
export const bodyText = (body: OutboundRequest['body']): string => (Buffer.isBuffer(body) ? body.toString() : '')
