import { room } from '../room.ts'
import { serviceContract } from './contract.ts'
import { serviceHandlers } from './handlers.ts'
import { createServiceRoom, type ServiceRoomDeps } from './index.ts'

export function serviceRoom(deps: ServiceRoomDeps) {
  const service = createServiceRoom(deps)
  return room({
    name: 'service',
    contract: serviceContract,
    handlers: serviceHandlers(service),
    api: service,
    close: service.metrics.close,
    attention: async ({ role }) =>
      (role === 'operator' ? service.facts().notices.filter(({ fault }) => fault) : []).map(({ code, text }) => ({
        ...{ code: 'trouble', severity: 'error', count: 1, subject: null, sinceMs: null, text },
        detail: { code, params: {} },
      })),
  })
}
