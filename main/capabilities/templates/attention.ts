import type {
  AnnouncedChange,
  TemplateState,
  UnusableTemplate,
  UnusableTemplateOfClient,
} from '../../engines/templates.ts'
import { isoTime } from '../../contract/request.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { linesOfClients, type ClientCount } from '../client-attention.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

export interface AttentionDeps {
  /** The changes of categories that the network has announced, earliest first. */
  readonly announcedChanges: (accountId: AccountId) => Promise<readonly AnnouncedChange[]>
  /** Templates that the network has rejected, paused or disabled, the latest first. */
  readonly unusableTemplates: (accountId: AccountId) => Promise<readonly UnusableTemplate[]>
  readonly unusableTemplatesOfClients: (accountId: AccountId) => Promise<readonly UnusableTemplateOfClient[]>
}

interface Deps extends AttentionDeps {
  readonly find: (accountId: AccountId, id: string) => Promise<Pick<KnownInstance, 'name'> | undefined>
}

/** The window has words for each of these. */
const CATEGORIES: readonly string[] = ['MARKETING', 'UTILITY', 'AUTHENTICATION']
const STATES = ['disabled', 'rejected', 'paused'] as const satisfies readonly TemplateState[]

/** Templates that nobody can be sent, of clients too, and those whose messages will cost something else. */
export function createAttention({ announcedChanges, find, ...deps }: Deps) {
  /** Who the template belongs to, and where it is. */
  async function detailOf([first, ...others]: readonly UnusableTemplateOfClient[]): Promise<AttentionLine['detail']> {
    if (first === undefined) return undefined
    const [instance = ''] = first.instanceIds
    const number = (await find(first.account.id, instance))?.name ?? ''
    const code = others.length === 0 ? first.state : 'several'
    return { code, params: { template: first.name, number, instance } }
  }

  async function ofClients(accountId: AccountId): Promise<AttentionLine[]> {
    const found = Map.groupBy(await deps.unusableTemplatesOfClients(accountId), ({ account }) => account.id)
    const counts = [...found].flatMap(([id, templates]): ClientCount[] =>
      templates.slice(0, 1).map(({ account }) => ({
        ...{ id, name: account.name, count: templates.length },
        sinceMs: Math.min(...templates.map(({ sinceMs }) => sinceMs)),
      })),
    )
    const lines = linesOfClients('warning', counts).map(async (line) => {
      const detail = await detailOf(found.get((line.subject?.id ?? '') as AccountId) ?? [])
      return detail === undefined ? line : { ...line, detail }
    })
    return Promise.all(lines)
  }

  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    if (network === 'sandbox') return []
    const unusable = await deps.unusableTemplates(accountId)
    return [
      ...STATES.flatMap((state) => stateLine(state, unusable)),
      ...changesLine(await announcedChanges(accountId)),
      ...(role === 'operator' ? await ofClients(accountId) : []),
    ]
  }
}

/** The templates of a number are on its page. */
function placeOf(templates: readonly Pick<UnusableTemplate, 'name' | 'instanceIds'>[]) {
  const ids = [...new Set(templates.flatMap(({ instanceIds }) => instanceIds.slice(0, 1)))]
  const [[id] = [], [first] = []] = [ids, templates]
  return { ids, subject: ids.length === 1 && id && first ? { id, name: first.name } : null }
}

function stateLine(state: TemplateState, unusable: readonly UnusableTemplate[]): AttentionLine[] {
  const templates = unusable.filter((template) => template.state === state)
  if (templates.length === 0) return []
  const sinceMs = Math.min(...templates.map((template) => template.sinceMs))
  const line = { code: state, severity: 'warning', count: templates.length, sinceMs, text: null } as const
  return [{ ...line, ...placeOf(templates) }]
}

function changesLine(changes: readonly AnnouncedChange[]): AttentionLine[] {
  const [first] = changes
  if (first === undefined) return []
  const isOne = changes.length === 1
  const code = isOne && CATEGORIES.includes(first.category) ? first.category : isOne ? 'other' : 'several'
  return [
    {
      ...{ code: 'category_changes', severity: 'warning', count: changes.length, sinceMs: null, text: null },
      ...placeOf(changes),
      detail: { code, params: { at: isoTime(first.atMs) } },
    },
  ]
}
