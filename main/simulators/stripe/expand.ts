import type { Unit } from './store.ts'

type Tree = Record<string, unknown>

/** Replaces ids by the objects they name, along paths such as `data.latest_invoice.payments`. */
export function expand(unit: Unit, answer: object, paths: readonly string[]): object {
  return paths.reduce<unknown>((body, path) => at(unit, body, path.split('.')), answer) as object
}

function at(unit: Unit, value: unknown, [head, ...rest]: readonly string[]): unknown {
  if (head === undefined) return value
  if (Array.isArray(value)) return value.map((one) => at(unit, one, [head, ...rest]))
  if (typeof value !== 'object' || value === null) return value
  const tree = value as Tree
  const below = fetched(unit, tree, head)
  return below === undefined ? value : { ...tree, [head]: at(unit, below, rest) }
}

function fetched(unit: Unit, tree: Tree, name: string): unknown {
  const { id, object } = tree
  if (object === 'invoice' && name === 'payments') {
    const data = unit.list('invoice_payment').filter((payment) => payment.invoice === id)
    return { object: 'list', has_more: false, url: `/v1/invoice_payments`, data }
  }
  if (object === 'checkout.session' && name === 'line_items') {
    return unit.find('checkout_session', String(id))?.line_items
  }
  if (object === 'customer' && name === 'subscriptions') {
    const data = unit.list('subscription').filter((one) => one.customer === id && one.status !== 'canceled')
    return { object: 'list', has_more: false, url: `/v1/customers/${String(id)}/subscriptions`, data }
  }
  const value = tree[name]
  return typeof value === 'string' ? (unit.any(value) ?? value) : value
}
