import { room } from '../room.ts'
import { templatesContract } from './contract.ts'
import { templatesHandlers } from './handlers.ts'
import { createTemplates, type TemplatesDeps } from './index.ts'

export function templatesRoom(deps: TemplatesDeps) {
  const templates = createTemplates(deps)
  return room({
    name: 'templates',
    contract: templatesContract,
    handlers: templatesHandlers(templates),
    api: templates,
  })
}
