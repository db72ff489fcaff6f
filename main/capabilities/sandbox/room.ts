import { room } from '../room.ts'
import { sandboxContract } from './contract.ts'
import { sandboxExistence, sandboxHandlers } from './handlers.ts'
import { createSandbox, type SandboxDeps } from './index.ts'

interface SandboxRoomDeps extends SandboxDeps {
  /** Opens the port of the sandbox model. */
  readonly listen: () => Promise<void>
}

export function sandboxRoom(deps: SandboxRoomDeps) {
  const sandbox = createSandbox(deps)
  return room({
    name: 'sandbox',
    contract: sandboxContract,
    handlers: sandboxHandlers(sandbox),
    existence: sandboxExistence(sandbox),
    // Work that an earlier process left may ask the model as soon as it runs.
    recover: deps.listen,
    close: deps.model.close,
    api: sandbox,
  })
}
