import { AGENT_TOOLS } from '../../contract/ai.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import { Secret } from '../../kernel/secret.ts'
import { seqPage } from '../../kernel/list-page.ts'
import { isSameOrigin } from '../../outbound/service-address.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import type { CreateHttpToolBody, HttpTool, UpdateHttpToolBody } from './contract/tools.ts'
import type { AiDeps } from './deps.ts'
import {
  changeHttpTool,
  httpToolById,
  httpToolsPage,
  insertHttpTool,
  removeHttpTool,
  type HttpToolRow,
} from './http-tool-store.ts'

type Fields = Pick<HttpToolRow, 'name' | 'description' | 'method' | 'url' | 'secretHeader'> & {
  readonly parameters: HttpTool['parameters']
}

/** Headers that change where a request goes or how it is parsed. */
const FORBIDDEN_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
  'cookie',
])

export type HttpTools = ReturnType<typeof createHttpTools>

/** HTTP services that an agent may call. The model fills in parameters; the operator sets the URL and the secret. */
export function createHttpTools({
  db,
  clock,
  ids,
  cursors,
  seal,
  outbound,
}: Pick<AiDeps, 'db' | 'clock' | 'ids' | 'cursors' | 'seal' | 'outbound'>) {
  const ownerOf = (id: string) => `ai-http-tool:${id}`
  const get = async (agentId: string, id: string): Promise<HttpToolRow> => {
    const row = await db.readOne(httpToolById, { agentId, id })
    if (row === undefined) throw new ApiError('not_found', 'This agent has no HTTP tool with this id.')
    return row
  }
  const all = (agentId: string): Promise<HttpToolRow[]> =>
    db.read(httpToolsPage, { agentId, before: Number.MAX_SAFE_INTEGER, rows: LIMITS.aiHttpTools })

  async function check(agentId: string, { name, url, parameters, secretHeader }: Fields, ownId: string | null) {
    if ((AGENT_TOOLS as readonly string[]).includes(name))
      throw new ApiError('validation_error', `name ${name} is that of a built-in tool. Choose another one.`).because(
        'tool_name_builtin',
        { name },
      )
    if ((await all(agentId)).some((tool) => tool.name === name && tool.id !== ownId))
      throw new ApiError('validation_error', 'name is used by another tool of this agent.').because('name_taken', {
        field: 'name',
      })
    const names = parameters.map((parameter) => parameter.name)
    if (new Set(names).size !== names.length)
      throw new ApiError('validation_error', 'parameters must have different names.').because('parameter_names_same')
    if (url.trim() !== url)
      throw new ApiError('invalid_url', 'url begins or ends with a space. Remove it.').because('url_spaces', {
        field: 'url',
      })
    for (const [, placeholder = ''] of url.matchAll(/\{([^{}]*)\}/g))
      if (!names.includes(placeholder))
        throw new ApiError(
          'validation_error',
          `url names {${placeholder}}, which is not among the parameters.`,
        ).because('placeholder_unknown', { name: placeholder })
    if (secretHeader !== null && FORBIDDEN_HEADERS.has(secretHeader.toLowerCase()))
      throw new ApiError('validation_error', `secret_header must not be ${secretHeader}.`).because(
        'header_not_allowed',
        { name: secretHeader },
      )
    const { origin } = await outbound.checkUrl(filledWith('x', url), { schemes: ['https'], field: 'url' })
    // Checked with the same parser as the call, because other parsers may find another host.
    if (URL.parse(filledWith('y', url))?.origin !== origin)
      throw new ApiError('invalid_url', 'url must not have a parameter in its host.').because('url_host_placeholder')
  }

  return {
    all,
    find: get,
    openSecret: ({ id, secret }: HttpToolRow): Secret | null =>
      secret === null ? null : seal.open(secret, ownerOf(id)),

    list: (agentId: string, wish: { readonly limit?: number; readonly cursor?: string }) =>
      seqPage(
        cursors,
        `ai-http-tools:${agentId}`,
        wish,
        (page) => db.read(httpToolsPage, { agentId, ...page }),
        toTool,
      ),

    /** @throws ApiError validation_error, invalid_url, invalid_state, sealed */
    async create(
      { id: instanceId }: InstanceSubject,
      agentId: string,
      body: CreateHttpToolBody,
      requireAccess: RequireAccess,
    ) {
      const { name, description, method, url, parameters = [], secret = null } = body
      const secretHeader = body.secret_header ?? (secret === null ? null : 'Authorization')
      await check(agentId, { name, description, method, url, parameters, secretHeader }, null)
      const id = ids.uuid()
      const sealed = secret === null ? null : seal.seal(new Secret(secret), ownerOf(id))
      const now = clock.now()
      return db.commit(async (tx) => {
        // Checked again, because looking up the address takes a while.
        await requireAccess(tx)
        const known = await tx.all(httpToolsPage, {
          agentId,
          before: Number.MAX_SAFE_INTEGER,
          rows: LIMITS.aiHttpTools,
        })
        if (known.length >= LIMITS.aiHttpTools)
          throw new ApiError(
            'invalid_state',
            `This agent already has ${LIMITS.aiHttpTools} HTTP tools. Delete one first.`,
          ).because('http_tools_full', { n: LIMITS.aiHttpTools })
        const row: HttpToolRow = {
          ...{ seq: await tx.next('ai_http_tools'), id, agentId, name, description, method, url, secretHeader },
          ...{ parameters: JSON.stringify(parameters), enabled: body.enabled === false ? 0 : 1, secret: sealed },
          ...{ createdAtMs: now, updatedAtMs: now },
        }
        await tx.run(insertHttpTool, { ...row, instanceId })
        return toTool(row)
      })
    },

    /** @throws ApiError not_found, validation_error, invalid_url, sealed */
    async update(
      agentId: string,
      id: string,
      body: UpdateHttpToolBody,
      requireAccess: RequireAccess,
    ): Promise<HttpTool> {
      const before = await get(agentId, id)
      const next = {
        name: body.name ?? before.name,
        description: body.description ?? before.description,
        method: body.method ?? before.method,
        url: body.url ?? before.url,
        parameters: body.parameters ?? (JSON.parse(before.parameters) as HttpTool['parameters']),
        secretHeader: body.secret_header === undefined ? before.secretHeader : body.secret_header,
      }
      await check(agentId, next, id)
      // A secret belongs to the server for which it was entered: a changed URL must not send it to another one.
      const keeps = isSameOrigin(filledWith('x', next.url), filledWith('x', before.url))
      const kept = keeps ? before.secret : null
      const secret =
        body.secret === undefined ? kept : body.secret === null ? null : seal.seal(new Secret(body.secret), ownerOf(id))
      const enabled = body.enabled === undefined ? before.enabled : body.enabled ? 1 : 0
      const parameters = JSON.stringify(next.parameters)
      const after = { ...before, ...next, parameters, secret, enabled } as const
      if (body.secret === undefined && JSON.stringify(after) === JSON.stringify(before)) return toTool(before)
      const row = { ...after, updatedAtMs: clock.now() }
      await db.commit(async (tx) => {
        await requireAccess(tx)
        await tx.run(changeHttpTool, row)
      })
      return toTool(row)
    },

    async remove(agentId: string, id: string): Promise<void> {
      const { seq } = await get(agentId, id)
      await db.commit((tx) => tx.run(removeHttpTool, { seq }))
    },
  }
}

/** The URL with a text in place of every parameter. */
const filledWith = (text: string, url: string): string => url.replaceAll(/\{[^{}]*\}/g, text)

const toTool = (row: HttpToolRow): HttpTool => ({
  ...{ id: row.id, name: row.name, description: row.description, method: row.method, url: row.url },
  parameters: JSON.parse(row.parameters) as HttpTool['parameters'],
  ...{ enabled: row.enabled === 1, secret_header: row.secretHeader, has_secret: row.secret !== null },
  ...{ created_at: isoTime(row.createdAtMs), updated_at: isoTime(row.updatedAtMs) },
})
