import type { Applicant } from './applicant.ts'
import type { Channel } from './channels.ts'
import type { Faults } from './faults.ts'
import type { Addressing, Group } from './groups.ts'
import { listen } from './listener.ts'
import type { Cdn } from './media.ts'
import { createNetwork } from './network.ts'
import type { Habits, Phone } from './people.ts'
import { ROUTE_VARIABLE, takeRoute, type Route } from './route.ts'

export type { Applicant } from './applicant.ts'
export type { Ending, LinkedDevice } from './linked-device.ts'
export type { Phone } from './people.ts'

/**
 * A stand-in for WhatsApp: a server that speaks the true protocol to linked clients, and the people with phones behind
 * it. The unmodified client library pairs with it, logs in, and exchanges messages that really are encrypted; the
 * phones decrypt, answer and send receipts as real ones do. What the network knows lies here, not in the client: a
 * client that is killed and starts again finds its backlog.
 *
 * ```ts
 * const whatsapp = await startWhatsApp()
 * whatsapp.takeRoute()                             // this process; a child takes `whatsapp.environment` instead
 * const shop = whatsapp.phone('12025550200', { name: 'Shop' })
 * const ana = whatsapp.phone('12025550101')
 * await shop.scan(qrText)                          // or: await shop.enter('ABCD-EFGH')
 * ana.received()                                   // what arrived, each message once, `times` says how often
 * shop.behave({ scansWith: 'camera' })             // the first scan fails, and the client has to draw its code again
 * shop.behave({ passkey: 'has' })                  // a client has to link with the passkey of the account
 * shop.passkey.assert(options)                     // what its owner's browser hands over, true or flawed
 * whatsapp.applicant(qrText).ceremony              // how that goes, and the code to compare
 * whatsapp.applicant(qrText).notices               // what a client was told before it is linked, with its acks; refresh
 * await ana.say(shop.number, 'Is it open?')        // → id; sendFile, edit, remove, react, vote, clickAd, call
 * shop.appState.archive(ana.number, true)          // what its owner sets reaches whatever is linked
 * ana.go(false)                                    // phones come and go; receipts follow their habits
 * shop.device.end('dropped')                       // and freeze, refuse, waiting, logins, heard
 * whatsapp.faults.onMessage({ kind: 'cut_before_ack' }, ana.number)
 * await whatsapp.close()
 * ```
 *
 * Numbers misbehave by their last four digits as on the sandbox network: 0463 is refused as a new chat, 0404 is not
 * on WhatsApp, 0410 is refused after it was acknowledged, 0502 cuts the connection when its devices are looked up,
 * 0504 is acknowledged far too late, 0007 never sends a receipt.
 */
export interface WhatsApp {
  /** The faults of the network. */
  readonly faults: Faults
  /** The storage of files. */
  readonly cdn: Cdn
  readonly route: Route
  /** Environment variables for another process, so that it connects to the stand-in and never to the real network. */
  readonly environment: Readonly<Record<string, string>>
  /** The number of open connections, logged in or not. */
  readonly connections: number
  /** Redirects all connections of this process to the real network to the stand-in. */
  takeRoute(): void
  /** The person with this number, who is created on the first call. */
  phone(number: string, habits?: Partial<Habits>): Phone
  /** The client that shows this QR code; by default, the client that connected last. @throws if there is none. */
  applicant(qr?: string): Applicant
  /**
   * Makes this number an alias of the other one, such as a Brazilian number with the ninth digit for the one without.
   */
  alias(number: string, canonical: string): void
  /** @param members phone numbers; the founder is first. */
  group(subject: string, members: readonly [string, ...string[]], addressing?: Addressing): Group
  /** @param admins phone numbers; the owner is first. */
  channel(name: string, admins: readonly [string, ...string[]], description?: string): Channel
  /** Cuts all connections. */
  cut(): void
  close(): Promise<void>
}

const REGISTER = new URL('register.ts', import.meta.url).href

interface Options {
  /** How long the ack of a message to a number that ends in 0504 is delayed; by default 25 s. */
  readonly heldAckMs?: number
}

export async function startWhatsApp({ heldAckMs }: Options = {}): Promise<WhatsApp> {
  const network = createNetwork(heldAckMs)
  const listener = await listen(network)
  const { route } = listener
  return {
    faults: network.faults,
    cdn: network.cdn,
    route,
    environment: { [ROUTE_VARIABLE]: JSON.stringify(route), NODE_OPTIONS: `--import=${REGISTER}` },
    get connections() {
      return listener.connections
    },
    takeRoute: () => takeRoute(route),
    phone(number, habits) {
      const found = network.phone(number)
      if (habits) found.behave(habits)
      return found
    },
    applicant: network.pairings.applicant,
    alias: network.alias,
    group: (subject, [founder, ...others], addressing) => network.groups.create(subject, founder, others, addressing),
    channel: network.channels.create,
    cut: listener.cut,
    async close() {
      network.close()
      await listener.close()
    },
  }
}
