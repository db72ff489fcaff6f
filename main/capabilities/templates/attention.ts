import type {
  AnnouncedChange,
  AnnouncedChangeOfClient,
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
  /** Category changes that the network has announced, earliest first. */
  readonly announcedChanges: (accountId: AccountId) => Promise<readonly AnnouncedChange[]>
  readonly announcedChangesOfClients: (accountId: AccountId) => Promise<readonly AnnouncedChangeOfClient[]>
  /** Templates that the network has rejected, paused or disabled, the latest first. */
  readonly unusableTemplates: (accountId: AccountId) => Promise<readonly UnusableTemplate[]>
  readonly unusableTemplatesOfClients: (accountId: AccountId) => Promise<readonly UnusableTemplateOfClient[]>
}

type OfClient = Pick<UnusableTemplateOfClient, 'account' | 'name' | 'instanceIds'>

interface Said {
  readonly code: string
  readonly params?: Readonly<Record<string, string>>
}

interface Deps extends AttentionDeps {
  readonly find: (accountId: AccountId, id: string) => Promise<Pick<KnownInstance, 'name'> | undefined>
}

/** The window has words for each of these. */
const CATEGORIES: readonly string[] = ['MARKETING', 'UTILITY', 'AUTHENTICATION']
const wordOf = (category: string): string => (CATEGORIES.includes(category) ? category : 'other')
const STATES = ['disabled', 'rejected', 'paused'] as const satisfies readonly TemplateState[]

/** Issues for templates that cannot be sent and for templates whose price will change, including those of clients. */
export function createAttention({ announcedChanges, find, ...deps }: Deps) {
  /** The owner of the template, and where to find it. */
  async function detailOf({ code, params = {} }: Said, { account, name, instanceIds }: OfClient) {
    const [instance = ''] = instanceIds
    const number = (await find(account.id, instance))?.name ?? ''
    return { code, params: { ...params, template: name, number, instance } }
  }

  /** @param sinceOf how long a template has waited: of many clients, those that have waited longest are named. */
  async function linesOf<T extends OfClient>(
    templates: readonly T[],
    saidOf: (template: T) => Said,
    sinceOf: (template: T) => number,
  ): Promise<AttentionLine[]> {
    const found = Map.groupBy(templates, ({ account }) => account.id)
    const counts = [...found].flatMap(([id, theirs]): ClientCount[] =>
      theirs.slice(0, 1).map(({ account }) => ({
        ...{ id, name: account.name, count: theirs.length, sinceMs: Math.min(...theirs.map(sinceOf)) },
      })),
    )
    const lines = linesOfClients('warning', counts).map(async (line) => {
      const [first, ...others] = found.get((line.subject?.id ?? '') as AccountId) ?? []
      if (first === undefined) return line
      const said = saidOf(first)
      const detail = await detailOf(others.length === 0 ? said : { ...said, code: 'several' }, first)
      return { ...line, detail }
    })
    return Promise.all(lines)
  }

  async function ofClients(accountId: AccountId): Promise<AttentionLine[]> {
    const [unusable, changes] = await Promise.all([
      deps.unusableTemplatesOfClients(accountId),
      deps.announcedChangesOfClients(accountId),
    ])
    return [
      ...(await linesOf(
        unusable,
        ({ state }) => ({ code: state }),
        ({ sinceMs }) => sinceMs,
      )),
      ...(
        await linesOf(
          changes,
          ({ category, atMs }) => ({ code: wordOf(category), params: { at: isoTime(atMs) } }),
          ({ atMs }) => atMs,
        )
      ).map((line) => ({ ...line, code: `category_changes_${line.code}`, sinceMs: null })),
    ]
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
  const [id] = ids
  const [first] = templates
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
  const code = changes.length === 1 ? wordOf(first.category) : 'several'
  return [
    {
      ...{ code: 'category_changes', severity: 'warning', count: changes.length, sinceMs: null, text: null },
      ...placeOf(changes),
      detail: { code, params: { at: isoTime(first.atMs) } },
    },
  ]
}
