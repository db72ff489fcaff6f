import { ApiError } from '../../contract/errors.ts'
import type { Template, TemplatePage } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { isPaired, type Sessions } from './sessions.ts'

/** What every official number of the sandbox has, in Graph's own shape; any other name is taken as approved too. */
export const TEMPLATES: readonly Template[] = [
  {
    id: '900000000000001',
    name: 'hello_world',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      { type: 'BODY', text: 'Welcome! This template of the sandbox has no variables.' },
      { type: 'FOOTER', text: 'Switchboard sandbox' },
    ],
  },
  {
    id: '900000000000002',
    name: 'order_update',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [
      {
        type: 'BODY',
        text: 'Hello {{1}}, your order {{2}} is on its way.',
        example: { body_text: [['Ana', '1042']] },
      },
    ],
  },
  {
    id: '900000000000003',
    name: 'spring_offer',
    language: 'en',
    status: 'APPROVED',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://media.sandbox/image.png'] } },
      { type: 'BODY', text: 'Dear {{1}}, everything for the garden.', example: { body_text: [['Ana']] } },
    ],
  },
]

/** @throws ApiError not_ready without a connected number: the list belongs to the account behind it. */
export function createTemplates(sessions: Sessions) {
  return async ({ id }: EngineInstance, page: { limit: number; after: string | null }): Promise<TemplatePage> => {
    await sessions.load()
    const session = sessions.of(id)
    if (!isPaired(session) || !session.up) {
      throw new ApiError(
        'not_ready',
        'The instance has no number yet, so it has no templates. Complete its onboarding.',
      )
    }
    return templatePage(page)
  }
}

/** @param page `after` is the id of the last template of the page before. */
export function templatePage(page: { limit: number; after: string | null }): TemplatePage {
  const begin = TEMPLATES.findIndex((template) => template.id === page.after) + 1
  const templates = TEMPLATES.slice(begin, begin + page.limit)
  return { templates, after: begin + page.limit < TEMPLATES.length ? (templates.at(-1)?.id ?? null) : null }
}
