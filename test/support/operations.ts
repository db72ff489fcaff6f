import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import type { Operation } from '../../main/contract/operation.ts'

/** Every operation, those of the window as well. */
export const ALL_OPERATIONS: readonly Operation[] = CONTRACTS.flatMap(({ operations }) =>
  Object.values<Operation>(operations),
)

/** Every operation that API keys may call. */
export const OPERATIONS: readonly Operation[] = ALL_OPERATIONS.filter(({ audience }) => audience !== 'console')

export const lineOf = ({ method, path }: Operation): string => `${method} ${path}`

/** What stands for the placeholder after each segment. */
export type Ids = Readonly<Partial<Record<string, string>>>

/** An id of the right form that nothing has. */
const NOBODY: Ids = {
  instances: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  webhooks: 'whk_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  deliveries: 'dlv_01KJM8R2B6Y4W8X0Z3C5V7N9M1',
  messages: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  phones: '12025559999',
  catcher: 'nobody',
  smv2: 'message',
  action: 'react',
}

/** The path with ids in it: those given, else such that nothing has. */
export function pathWith(path: string, ids: Ids = {}): string {
  const idOf = (name: string) => ids[name] ?? NOBODY[name] ?? 'unknown'
  return path
    .replaceAll(/\/([a-z0-9-]+)\/\{\w+\}/g, (_whole, listed: string) => `/${listed}/${idOf(listed)}`)
    .replaceAll(/\{(\w+)\}/g, (_whole, name: string) => idOf(name))
}

/** Ends with what the operation asks for before it looks at the body. */
export const confirmed = (operation: Operation, path: string): string =>
  operation.confirm === 'always' ? `${path}?confirm=true` : path
