import { room } from '../room.ts'
import { sandboxContract } from './contract.ts'
import { sandboxExistence, sandboxHandlers } from './handlers.ts'
import { createSandbox, type SandboxDeps } from './index.ts'

export function sandboxRoom(deps: SandboxDeps) {
  const sandbox = createSandbox(deps)
  return room({
    name: 'sandbox',
    contract: sandboxContract,
    handlers: sandboxHandlers(sandbox),
    existence: sandboxExistence(sandbox),
    api: sandbox,
  })
}
