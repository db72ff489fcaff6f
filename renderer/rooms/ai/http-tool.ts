import type { Body, Item } from '../../app/operation-types.ts'

export type HttpTool = Item<'listHttpTools'>
export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const satisfies readonly HttpTool['method'][]
export const PARAMETER_TYPES = ['string', 'number', 'integer', 'boolean'] as const

export interface ToolForm {
  name: string
  description: string
  method: HttpTool['method']
  url: string
  parameters: { name: string; type: (typeof PARAMETER_TYPES)[number]; description: string; required: boolean }[]
  header: string
  secret: string
}

export const toolFormOf = (tool: HttpTool | undefined): ToolForm => ({
  name: tool?.name ?? '',
  description: tool?.description ?? '',
  method: tool?.method ?? 'GET',
  url: tool?.url ?? 'https://',
  parameters: (tool?.parameters ?? []).map((parameter) => ({ ...parameter })),
  header: tool?.secret_header ?? '',
  secret: '',
})

/** An empty secret keeps the stored one. Without a header there is no secret. */
export function toolBodyOf(form: ToolForm): Body<'createHttpTool'> {
  const header = form.header.trim()
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    method: form.method,
    url: form.url.trim(),
    parameters: form.parameters.map((each) => ({
      ...each,
      name: each.name.trim(),
      description: each.description.trim(),
    })),
    secret_header: header === '' ? null : header,
    ...(header === '' ? { secret: null } : form.secret !== '' && { secret: form.secret }),
  }
}

/** `Order status` → `order_status`. */
export const toolName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_$/g, '')
    .slice(0, 48)
