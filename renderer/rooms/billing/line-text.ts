/** What a line of an invoice is for. The payment provider describes it in English; known forms are read from that. */
export interface LineText {
  /** Key below `billing.line`, with `name` in it. */
  readonly words: 'unused' | 'remaining' | 'several' | 'one' | 'service'
  readonly name: string
  readonly quantity: number
}

const PERIOD = /^(\d{1,6}) × (.{1,200}) \(at [^()]{1,40}\)$/
/** What an agency sells to a client, in the languages that an invoice may be in: `Messaging service, Bakery Luz`. */
const SERVICE = /^(?:Messaging service|Servicio de mensajería|Serviço de mensagens), (.{1,200})$/
const CHANGE = /^(Unused|Remaining) time on (.{1,200}?)(?: after \d{1,2} \w{3} \d{4})?$/

/** @returns undefined for any other description, which is shown as it is. */
export function readLine(description: string): LineText | undefined {
  const [, kind, changed] = CHANGE.exec(description) ?? []
  if (changed !== undefined)
    return { words: kind === 'Unused' ? 'unused' : 'remaining', name: nameOf(changed), quantity: 1 }
  const [, count, name] = PERIOD.exec(description) ?? []
  const [, client] = SERVICE.exec(name ?? description) ?? []
  if (client !== undefined) return { words: 'service', name: client, quantity: 1 }
  if (name === undefined) return undefined
  const quantity = Number(count)
  return { words: quantity > 1 ? 'several' : 'one', name, quantity }
}

/** What is sold here, by the name that the payment provider knows it by. */
const SOLD: Readonly<Record<string, { readonly plan: string } | { readonly product: string }>> = {
  Starter: { plan: 'starter' },
  Growth: { plan: 'growth' },
  Scale: { plan: 'scale' },
  'Growth, yearly': { plan: 'growth_yearly' },
  'Extra slots': { product: 'slots' },
  'Unlimited calls': { product: 'voice' },
  'Guided setup': { product: 'setup' },
}

/** `Extra slots (5)`. @returns undefined for a name that somebody else gave. */
export function readSold(name: string) {
  const [, known = '', pieces = '1'] = /^(.{1,200}?)(?: \((\d{1,6})\))?$/.exec(name) ?? []
  const sold = SOLD[known]
  return sold && { ...sold, quantity: Number(pieces) }
}

/** Without the number of pieces before it: `5 × Extra slots`. */
const nameOf = (text: string) => text.replace(/^1 × /, '')
