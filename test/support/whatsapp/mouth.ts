import type { proto } from 'baileys'
import { toOwnDevice, toRecipient, withheld, withoutContent, type Utterance } from './fan-out.ts'
import { memberJid, type GroupInside } from './groups.ts'
import type { DeviceInside } from './linked-device.ts'
import { sealedChange } from './message-secret.ts'
import type { Phone, PhoneCore, PhoneInside, SayOptions, Surroundings } from './people.ts'
import { clickedAd, deletion, edit, file, newMessageId, reaction, text, type Known } from './speech.ts'
import { groupJid, lidJid, numberJid, seconds, type Stanza } from './stanza.ts'
import { timerSetting } from './chat-timers.ts'
import { vote } from './votes.ts'

type Speaking =
  | 'say'
  | 'send'
  | 'disappear'
  | 'sendFile'
  | 'edit'
  | 'editSealed'
  | 'remove'
  | 'react'
  | 'vote'
  | 'clickAd'
  | 'withhold'
  | 'repeat'
type Mouth = Pick<Phone, Speaking> & Pick<PhoneInside, 'sayAgain'>

/** How a person sends messages: directly to other phones, and encrypted for each linked device. */
export function createMouth(core: PhoneCore, around: Surroundings, self: () => PhoneInside): Mouth {
  const { number, signal, known, inTurn } = core
  const said = new Map<string, Utterance>()

  function utter(to: string, content: proto.IMessage, options: SayOptions = {}): Utterance {
    const group = around.group(to)
    const addressee = group ? { group } : { person: around.phone(to) }
    const atSeconds = options.atSeconds ?? seconds()
    const said = group ? content : core.timers.mark(to, content)
    return { id: newMessageId(), from: self(), to: addressee, content: said, atSeconds }
  }

  async function speak(utterance: Utterance, forDevice = toRecipient): Promise<string> {
    await inTurn(() => spread(utterance, (device) => forDevice(utterance, device)))
    return utterance.id
  }

  async function spread(utterance: Utterance, forDevice: (device: DeviceInside) => Promise<Stanza>): Promise<void> {
    const { id, to, content, atSeconds } = utterance
    const group = 'group' in to ? to.group : undefined
    const people = 'group' in to ? to.group.members.map(around.phone) : [to.person]
    const others = people.filter((person) => person.number !== number)
    said.set(id, utterance)
    known.set(id, { key: { remoteJid: chatOf(to), fromMe: true, id }, author: authorIn(group), content, atSeconds })
    for (const person of others) person.hear(id, self(), group, { content, atSeconds })
    for (const device of others.flatMap(({ devices }) => devices)) device.enqueue(await forDevice(device))
    for (const device of core.devices) device.enqueue(await toOwnDevice(utterance, device))
  }

  const authorIn = (group: GroupInside | undefined) => (group ? memberJid(group, self()) : numberJid(number))

  function find(id: string): Known {
    const found = known.get(id)
    if (found === undefined) throw new Error(`${number} knows no message ${id}`)
    return found
  }

  /** Sends something about another message to the chat of that message. */
  async function refer(id: string, content: (to: Known) => proto.IMessage): Promise<string> {
    const about = find(id)
    return speak(utter(chatIn(about), content(about)))
  }

  function uttered(id: string): Utterance {
    const found = said.get(id)
    if (found === undefined) throw new Error(`${number} did not say ${id}`)
    return found
  }

  return {
    async say(to, words, options) {
      const quoted = options?.quoted === undefined ? undefined : find(options.quoted)
      return speak(utter(to, text(words, quoted), options))
    },
    send: async (to, content, options) => speak(utter(to, content, options)),
    sendFile: async (to, sent, options) => speak(utter(to, file(around.cdn, sent), options)),
    edit: (id, words) => refer(id, (about) => edit(about, words)),
    editSealed: (id, content, { kind, author, by }) =>
      refer(id, (about) => {
        const me = { number: numberJid(number), lid: lidJid(core.lid), theirs: about.author }
        return sealedChange(about, { by: me[by], author: me[author] }, kind, content)
      }),
    async disappear(to, after) {
      const group = around.group(to)
      if (group) return around.setTimer(group, self(), after)
      const setting = timerSetting(after)
      core.timers.hear(to, setting)
      await speak(utter(to, setting))
    },
    remove: (id) => refer(id, deletion),
    react: (id, emoji) => refer(id, (about) => reaction(about, emoji)),
    vote: (id, choices) => refer(id, (poll) => vote(poll, authorIn(around.group(chatIn(poll))), choices)),
    clickAd: async (to, words, ad) => speak(utter(to, clickedAd(words, ad)), async (said) => withoutContent(said)),
    withhold: async (to, content, why) => speak(utter(to, content), async (said) => withheld(said, why)),
    repeat(id) {
      const again = uttered(id)
      if ('group' in again.to) throw new Error(`${id} was said to a group`)
      const { devices } = again.to.person
      void inTurn(async () => {
        for (const device of devices) device.enqueue(await toRecipient(again, device))
      })
    },
    sayAgain(device, id, bundle, count) {
      const again = { ...uttered(id), count }
      void inTurn(async () => {
        await signal.meet(`${device.number}:${device.id}`, bundle ?? device.bundle())
        device.enqueue(await (device.number === number ? toOwnDevice(again, device) : toRecipient(again, device)))
      })
    },
  }
}

const chatOf = (to: Utterance['to']): string => ('group' in to ? groupJid(to.group.id) : numberJid(to.person.number))

/** The phone number of the chat, or the id of the group. */
const chatIn = ({ key }: Known): string => (key.remoteJid ?? '').replace(/@.*$/, '')
