import { createHmac, createSecretKey, randomUUID } from 'node:crypto'
import { Pool } from 'undici'

/**
 * Sends one signed POST over TLS as cheaply as Node can. All compared programs use it, so that only claiming and
 * recording differ. NODE_EXTRA_CA_CERTS names the receiver's authority.
 */
export function signedPost(port: number, secret: string, connections: number) {
  const key = createSecretKey(Buffer.from(secret))
  const pool = new Pool(`https://127.0.0.1:${port}`, { connections, pipelining: 1 })
  return (payload: string, attempt: number): Promise<number> => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const body = `{"attempt":${attempt},${payload.slice(1)}`
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'bench/1',
      'x-service-event-id': eventIdOf(payload),
      'x-service-timestamp': timestamp,
      'x-service-attempt': String(attempt),
      'x-service-signature': `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`,
    }
    return new Promise((resolve, reject) => {
      let status = 0
      pool.dispatch(
        { path: '/hook', method: 'POST', headers, body, headersTimeout: 10_000, bodyTimeout: 10_000 },
        {
          onRequestStart() {},
          onResponseStart: (_, code) => void (status = code),
          onResponseData() {},
          onResponseEnd: () => resolve(status),
          onResponseError: (_, error) => reject(error),
        },
      )
    })
  }
}

const PREFIX = '{"event_id":"'
const eventIdOf = (payload: string) => payload.slice(PREFIX.length, PREFIX.length + 30)

/** The stored part of an event: everything but the attempt. */
export const payloads = (count: number) => Array.from({ length: count }, (_, i) => payload(i))

function payload(n: number): string {
  return JSON.stringify({
    event_id: `evt_${randomUUID().replaceAll('-', '').slice(0, 26)}`,
    type: 'message.received',
    created_at: new Date().toISOString(),
    account_id: '5e0f2d3a-3f0c-4f0b-8c9e-0e8b7d1c2a3b',
    instance: { id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', external_ref: 'crm-1', metadata: null, engine: 'smv2' },
    data: {
      message_id: 'msg_01KA1F9DE28E37836B983D3CD3',
      chat: '12025550123',
      from: '12025550123',
      from_me: false,
      push_name: 'Ana Souza',
      text: `Good morning! Can I still change the delivery address of my order ${n}? We moved last week.`,
    },
  })
}
