/** The subject of an invoice line. The payment provider describes it in English; known forms are parsed. */
export interface LineText {
  /** Key below `billing.line`, with `name` in it. */
  readonly words: 'unused' | 'remaining' | 'several' | 'one' | 'service'
  readonly name: string
  readonly quantity: number
}

const PERIOD = /^(\d{1,6}) × (.{1,200}) \(at [^()]{1,40}\)$/
/** An agency's service for a client, in the possible invoice languages: `Messaging service, Bakery Luz`. */
const SERVICE = /^(?:Messaging service|Servicio de mensajería|Serviço de mensagens), (.{1,200})$/
const CHANGE = /^(Unused|Remaining) time on (.{1,200}?)(?: after \d{1,2} \w{3} \d{4})?$/

/** @returns undefined for any other description, which is shown unchanged. */
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

/** Our products, by the payment provider's name. */
const SOLD: Readonly<Record<string, { readonly plan: string } | { readonly product: string }>> = {
  Starter: { plan: 'starter' },
  Growth: { plan: 'growth' },
  Scale: { plan: 'scale' },
  'Growth, yearly': { plan: 'growth_yearly' },
  'Extra slots': { product: 'slots' },
  'Unlimited calls': { product: 'voice' },
  'Guided setup': { product: 'setup' },
}

/** `Extra slots (5)`. @returns undefined for a name that is not ours. */
export function readSold(name: string) {
  const [, known = '', pieces = '1'] = /^(.{1,200}?)(?: \((\d{1,6})\))?$/.exec(name) ?? []
  const sold = SOLD[known]
  return sold && { ...sold, quantity: Number(pieces) }
}

/** Without the quantity in front: `5 × Extra slots`. */
const nameOf = (text: string) => text.replace(/^1 × /, '')
