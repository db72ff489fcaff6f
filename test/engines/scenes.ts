import type { Abilities } from '../../main/contract/abilities.ts'
import type { Engine, EngineInstance, EngineSignal, Outgoing, SendOutcome } from '../../main/engines/engine.ts'
import { OFFICIAL } from '../../main/engines/official/abilities.ts'
import { SANDBOX } from '../../main/engines/sandbox/abilities.ts'
import type { Content } from '../../main/engines/sandbox/inbox.ts'
import { SMV2 } from '../../main/engines/smv2/abilities.ts'
import { settle } from '../support/clock.ts'
import { until } from '../support/service-process.ts'
import type { Phone } from '../support/whatsapp/index.ts'
import { graphWorld, soon } from './official/graph-world.ts'
import { networkWorld, type NetworkWorld } from './sandbox/network-world.ts'
import { lineWorld } from './smv2/line-world.ts'

export const OURS = '12025550100'
export const ANA = '12025550101'

/** An engine with its network, in the few words that what every engine promises can be said in. */
export interface Scene {
  readonly engine: Engine
  /** What its table says of it. */
  readonly abilities: Abilities
  instance(): EngineInstance
  connect(number: string): Promise<EngineInstance>
  /** @param out a text when it says nothing else. */
  send(
    instance: EngineInstance,
    to: string,
    out?: Partial<Outgoing>,
  ): Promise<{ messageId: string; outcome: SendOutcome }>
  told(instance: EngineInstance): readonly EngineSignal[]
  statuses(instance: EngineInstance, messageId: string): string[]
  /** Lets happen what has to, until the claim holds. */
  until(what: string, holds: () => boolean): Promise<void>
  /** @param group whom else it is said to. */
  say(content: string | Content, group?: string | null): Promise<unknown>
  /** The message that the last one on this phone answers, by the network's id; null: none. */
  answeredBy(number: string): Promise<string | null>
  /** Ends the engine and opens another on the same storage. @returns the new one. */
  restart(): Promise<Engine>
  timersLeft(): number
  close(): Promise<void>
}

async function sandbox(name: 'smv2' | 'official'): Promise<Scene> {
  const world = await networkWorld()
  return {
    get engine() {
      return world.engine(name)
    },
    instance: () => world.instance(name),
    connect: (number) => world.connected(name, number),
    abilities: SANDBOX[name],
    async send(instance, to, out) {
      if (!to.endsWith('0504')) {
        const { messageId, ...outcome } = await world.send(instance, { ...out, to })
        return { messageId, outcome: outcome }
      }
      const { messageId, outcome } = world.sending(instance, to)
      await world.clock.advance(20_000)
      return { messageId, outcome: await outcome }
    },
    told: world.told,
    statuses: world.statuses,
    async until(what, holds) {
      for (let seconds = 0; !holds(); seconds++) {
        if (seconds > 60) throw new Error(`in vain: ${what}`)
        await world.clock.advance(1_000)
        await settle()
      }
    },
    say: (content, group = null) =>
      world.network.speak(world.accountId, ANA, { to: OURS, group, content: asContent(content) }),
    answeredBy: (number) => quotedOn(world, number),
    async restart() {
      await world.restart()
      await world.engine(name).begin()
      return world.engine(name)
    },
    timersLeft: world.clock.waiting,
    close: world.close,
  }
}

async function cloud(): Promise<Scene> {
  const world = await graphWorld()
  return {
    get engine() {
      return world.official.engine
    },
    instance: world.instance,
    connect: async (number) => world.connect(await world.number(number)),
    abilities: OFFICIAL,
    send: (instance, to, out) => world.send(instance, { ...out, to }, to.endsWith('0504') ? 200 : 5_000),
    told: world.told,
    statuses: world.statuses,
    async until(what, holds) {
      await soon(what, holds)
    },
    say: (content, group = null) =>
      world.network.speak(world.accountId, ANA, { to: OURS, group, content: asContent(content) }),
    answeredBy: (number) => quotedOn(world, number),
    async restart() {
      await world.restart()
      return world.official.engine
    },
    timersLeft: world.timers,
    close: world.close,
  }
}

async function line(): Promise<Scene> {
  const world = await lineWorld()
  let connected: EngineInstance | undefined
  return {
    get engine() {
      return world.smv2.engine
    },
    instance: world.instance,
    connect: async (number) => (connected = await world.connect(number)),
    abilities: SMV2,
    async send(instance, to, out) {
      // The number before may have cost the link, which comes back by itself.
      await until(
        'a link that is not on its way',
        async () => (await world.smv2.engine.resume(instance)) !== 'connecting',
      )
      return world.send(instance, { ...out, to }, to.endsWith('0504') ? 500 : 5_000)
    },
    told: world.told,
    statuses: world.statuses,
    async until(what, holds) {
      await soon(what, holds)
    },
    say: (content) => speak(world.whatsapp.phone(ANA), content),
    answeredBy: async (number) => world.whatsapp.phone(number).received().at(-1)?.about ?? null,
    async restart() {
      await world.restart(connected)
      return world.smv2.engine
    },
    timersLeft: world.timers,
    close: world.close,
  }
}

async function quotedOn({ network, accountId }: Pick<NetworkWorld, 'network' | 'accountId'>, number: string) {
  const [last] = await network.listMessages(accountId, number, Number.MAX_SAFE_INTEGER, 1)
  return last?.content.quoted ?? null
}

/** What a phone of the stand-in makes of it. */
function speak(phone: Phone, content: string | Content): Promise<string> {
  if (typeof content === 'string') return phone.say(OURS, content)
  const kind = FILES.find((each) => each === content.type)
  if (kind) return phone.sendFile(OURS, { kind, bytes: Buffer.from('a file'), mimeType: 'image/png' })
  switch (content.type) {
    case 'location':
      return phone.send(OURS, { locationMessage: { degreesLatitude: 1, degreesLongitude: 2 } })
    case 'contact':
      return phone.send(OURS, { contactMessage: { displayName: 'Ben', vcard: 'BEGIN:VCARD' } })
    case 'poll':
      return phone.send(OURS, { pollCreationMessageV3: { name: 'Bread?', options: [{ optionName: 'Rye' }] } })
    default:
      return phone.say(OURS, content.text ?? '')
  }
}

const FILES = ['image', 'video', 'audio', 'document', 'sticker'] as const

const asContent = (content: string | Content): Content =>
  typeof content === 'string' ? { type: 'text', text: content } : content

/** Every engine there is. One that joins adds its scene, and is held to all of this. */
export const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  'smv2 on the sandbox': () => sandbox('smv2'),
  'official on the sandbox': () => sandbox('official'),
  'official over the Cloud API': cloud,
  'smv2 over a linked device': line,
}
