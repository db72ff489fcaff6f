import { until } from '../../support/service-process.ts'
import { listen } from '../../support/whatsapp/listener.ts'
import { createNetwork, type Network } from '../../support/whatsapp/network.ts'
import { takeRoute } from '../../support/whatsapp/route.ts'
import { stanza, type Stanza } from '../../support/whatsapp/stanza.ts'

/** The stand-in for WhatsApp with a hand on what it says to a device that is being linked, stanza by stanza. */
export interface TappedNetwork {
  readonly network: Network
  /** What the device said on its present connection, oldest first. */
  readonly heard: readonly Stanza[]
  tell(node: Stanza): void
  /** A notification of the server. @returns its id. */
  notify(type: string, content?: Stanza[], from?: string): string
  /** Waits until the notification is acknowledged. @returns the attributes of every acknowledgement it has by then. */
  acks(id: string): Promise<Readonly<Record<string, string>>[]>
  /** Answers queries with this child instead of the stand-in. @param reply null: with silence; undefined: it does. */
  answer(tag: string, reply: (node: Stanza) => Stanza | null | undefined): void
  cut(): void
  close(): Promise<void>
}

/** Leads this process to a network of its own; the one of the world is not used. */
export async function tappedNetwork(): Promise<TappedNetwork> {
  const network = createNetwork()
  const { pairings } = network
  const greet = pairings.greet.bind(pairings)
  const replies = new Map<string, Parameters<TappedNetwork['answer']>[1]>()
  let heard: Stanza[] = []
  let say: (node: Stanza) => void = () => {}
  let lastId = 0

  pairings.greet = (link, introduction) => {
    heard = []
    say = (node) => link.send(node)
    const applicant = greet(link, introduction)
    return {
      ...applicant,
      hear(node) {
        heard.push(node)
        const child = Array.isArray(node.content) ? node.content[0]?.tag : undefined
        const isQuery = node.tag === 'iq' && node.attrs['type'] !== 'result'
        const answer = isQuery ? replies.get(child ?? '')?.(node) : undefined
        if (answer === undefined) applicant.hear(node)
        else if (answer !== null) link.send(answer)
      },
    }
  }

  const listener = await listen(network)
  takeRoute(listener.route)
  const acksOf = (id: string) =>
    heard.filter(({ tag, attrs }) => tag === 'ack' && attrs['id'] === id).map(({ attrs }) => attrs)
  return {
    network,
    get heard() {
      return heard
    },
    tell: (node) => say(node),
    notify(type, content, from = 's.whatsapp.net') {
      const id = `n${++lastId}`
      say(stanza('notification', { type, from, id, t: 1 }, content))
      return id
    },
    acks: (id) => until('an acknowledgement', () => (acksOf(id).length > 0 ? acksOf(id) : undefined)),
    answer: (tag, reply) => void replies.set(tag, reply),
    cut: listener.cut,
    async close() {
      network.close()
      await listener.close()
    },
  }
}

export const refusal = (node: Stanza, code: number, text: string): Stanza =>
  stanza('iq', { type: 'error', id: node.attrs['id'], from: 's.whatsapp.net' }, [stanza('error', { code, text })])
