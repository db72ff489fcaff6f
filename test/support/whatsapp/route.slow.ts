import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createConnector } from '../../../main/outbound/connector.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createNameLookup, systemResolve } from '../../../main/outbound/name-lookup.ts'
import { createAddressPolicy } from '../../../main/outbound/public-address.ts'
import { whatsappOfTest } from './raw-scene.ts'

test('the product’s own way out, with all its checks, arrives at the stand-in', async () => {
  await whatsappOfTest()
  const names = createNameLookup({ clock: systemClock, resolve: systemResolve })
  const policy = createAddressPolicy({ clock: systemClock, trustedRanges: [] })
  const connector = createConnector({ clock: systemClock, policy, names })
  const peer = { scheme: 'https', host: 'mmg.whatsapp.net', port: 443, isLiteral: false } as const
  const { socket } = await connector(peer, 5_000).opened
  socket.end('GET /nothing HTTP/1.1\r\nHost: mmg.whatsapp.net\r\nConnection: close\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 410 /)
})
