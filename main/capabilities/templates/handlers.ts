import type { Handlers } from '../handler.ts'
import type { templatesContract } from './contract.ts'
import type { Templates } from './index.ts'

export function templatesHandlers(templates: Templates): Handlers<typeof templatesContract> {
  return {
    listTemplates: ({ instance, query }) => templates.list(instance, query),
    createTemplate: ({ instance, body }) => templates.create(instance, body),
    getTemplate: ({ instance, params }) => templates.read(instance, params.template_id),
    updateTemplate: ({ instance, params, body }) => templates.change(instance, params.template_id, body),
    unpauseTemplate: ({ instance, params }) => templates.unpause(instance, params.template_id),
    async deleteTemplate({ instance, params }) {
      await templates.remove(instance, params.template_id)
      return undefined
    },
  }
}
