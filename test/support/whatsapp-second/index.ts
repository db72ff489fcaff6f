import type { WhatsApp } from '../whatsapp/index.ts'
import { ROUTE_VARIABLE, takeRoute } from '../whatsapp/route.ts'
import { listen } from './listener.ts'
import { createNetwork } from './network.ts'

const REGISTER = new URL('../whatsapp/register.ts', import.meta.url).href
const HELD_ACK_MS = 25_000

/**
 * A second stand-in for WhatsApp’s servers and the phones behind them, which can replace the first one. The two share
 * only the interface and the code that redirects a process to a stand-in. It was written from the source of the
 * client library, not from our driver. If a client does something that no real client does, it gets no error, but
 * `close` throws.
 */
export async function startSecondWhatsApp({
  heldAckMs = HELD_ACK_MS,
}: { readonly heldAckMs?: number } = {}): Promise<WhatsApp> {
  const network = createNetwork(heldAckMs)
  const listener = await listen({
    arrival: () => network.faults.arrival,
    greet: network.greet,
    serveFile: network.files.serve,
    complain: network.complain,
  })
  const { route } = listener
  return {
    ...{ faults: network.faults, cdn: network.files, route },
    environment: { [ROUTE_VARIABLE]: JSON.stringify(route), NODE_OPTIONS: `--import=${REGISTER}` },
    get connections() {
      return listener.connections
    },
    takeRoute: () => takeRoute(route),
    phone(number, habits) {
      const person = network.person(number)
      if (habits) person.behave(habits)
      return person
    },
    applicant(qr) {
      const all = network.registrants()
      const found = qr === undefined ? all.at(-1) : all.find((one) => one.hasShown(qr))
      if (!found) throw new Error('there is no such client')
      return found
    },
    alias: network.alias,
    group: (subject, members, addressing) => network.groups.create(subject, members, addressing),
    channel() {
      throw new Error('this network has no channels')
    },
    cut: listener.cut,
    async close() {
      network.close()
      await listener.close()
      if (network.complaints.length > 0)
        throw new Error(`what no client of WhatsApp does: ${network.complaints.join('; ')}`)
    },
  }
}
