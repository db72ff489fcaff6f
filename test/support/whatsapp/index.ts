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
 * A stand-in for WhatsApp: a server that speaks the real protocol to linked clients, and people with phones behind it.
 * The unmodified client library pairs with it, logs in, and exchanges messages that are really encrypted. The phones
 * decrypt, answer and send receipts like real ones. The network keeps its own data: a client that is killed and starts
 * again gets its backlog.
 *
 * ```ts
 * const whatsapp = await startWhatsApp()
 * whatsapp.takeRoute()                             // for this process; a child process gets `whatsapp.environment`
 * const shop = whatsapp.phone('12025550200', { name: 'Shop' })
 * const ana = whatsapp.phone('12025550101')
 * await shop.scan(qrText)                          // or: await shop.enter('ABCD-EFGH')
 * ana.received()                                   // received messages, each once; `times` says how many times it came
 * shop.behave({ scansWith: 'camera' })             // the first scan fails, and the client must create a new code
 * shop.behave({ passkey: 'has' })                  // a client must link with the passkey of the account
 * shop.passkey.assert(options)                     // the assertion of its owner's browser, valid or with flaws
 * whatsapp.applicant(qrText).ceremony              // the state of that linking, and the code to compare
 * whatsapp.applicant(qrText).notices               // notifications to a client that is not linked yet, with its acks
 * await ana.say(shop.number, 'Is it open?')        // → id; also sendFile, edit, remove, react, vote, clickAd, call
 * shop.appState.archive(ana.number, true)          // settings of the owner reach all linked devices
 * ana.go(false)                                    // takes the phone offline; receipts follow its habits
 * shop.device.end('dropped')                       // also freeze, refuse, waiting, logins, heard
 * whatsapp.faults.onMessage({ kind: 'cut_before_ack' }, ana.number)
 * await whatsapp.close()
 * ```
 *
 * As in the sandbox network, some numbers have faults, depending on their last four digits: 0463 is refused as a new
 * chat, 0404 is not on WhatsApp, 0410 is refused after it was acknowledged, 0502 cuts the connection when its devices
 * are looked up, 0504 is acknowledged far too late, 0007 never sends a receipt.
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
