import { memberJid } from './groups.ts'
import type { Envelope, Phone, PhoneCore, PhoneInside, Surroundings } from './people.ts'
import { groupJid, seconds, stanza } from './stanza.ts'

interface Confirming {
  readonly confirm: Phone['confirm']
  /** Called when a message has arrived. Its receipts follow automatically, according to the phone's habits. */
  expect(envelope: Envelope): void
}

/** The receipts that a phone sends to the author's devices. */
export function createConfirming(core: PhoneCore, around: Surroundings, self: () => PhoneInside): Confirming {
  const messages = new Map<string, Envelope>()

  const confirm: Phone['confirm'] = (ids, as) => {
    const [first = '', ...others] = ids
    const message = messages.get(first)
    if (message === undefined) throw new Error(`${core.number} never got ${first}`)
    const { group, from } = message
    const attributes = {
      from: group ? groupJid(group.id) : message.as,
      participant: group ? memberJid(group, self()) : undefined,
      id: first,
      t: seconds(),
      type: as === 'delivered' ? undefined : as,
    }
    const items = others.map((id) => stanza('item', { id }))
    const receipt = stanza('receipt', attributes, items.length === 0 ? undefined : [stanza('list', {}, items)])
    for (const device of around.phone(from.number).devices)
      for (let times = core.habits.repeatsReceipts ? 2 : 1; times > 0; times--) device.enqueue(receipt)
  }

  return {
    confirm,
    expect(envelope) {
      const { id } = envelope
      messages.set(id, envelope)
      const { receipts, deliveredAfterMs, readAfterMs } = core.habits
      if (receipts === 'none') return
      around.later(deliveredAfterMs, () => {
        confirm([id], 'delivered')
        if (receipts === 'read') around.later(readAfterMs, () => confirm([id], 'read'))
      })
    },
  }
}
