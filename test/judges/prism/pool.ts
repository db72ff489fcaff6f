import { until, type Api } from '../../support/service-process.ts'
import type { OperationToFuzz } from './document.ts'
import type { Asked } from './exchange.ts'
import type { Recipe } from './recipes.ts'
import { isRecord } from './rules.ts'

/** Ids of things that exist, by what an operation's path says before them. */
export interface Pool {
  /** The request, and the recipe with the places of its body filled in that were left open. */
  request(recipe: Recipe, key: string): { readonly asked: Asked; readonly recipe: Recipe }
  /** Takes in what an answer says exists now. */
  learn(operation: OperationToFuzz, asked: Asked, reply: unknown): void
}

/** Some answer, some misbehave by their last four digits; the instances' own are among them. */
export const NUMBERS = [
  '12025550101',
  '12025550102',
  '12025550200',
  '12025550202',
  '12025550404',
  '12025550463',
  '12025550410',
  '12025550502',
  '12025550504',
]

const ENDS = new Set([
  'deleteInstance',
  'disconnectInstance',
  'restartInstance',
  'refreshInstanceQr',
  'causeSandboxFault',
  'recreateInstance',
])

/** For instances of one engine; the other is tried now and then as well. */
const SMV2_ONLY = new Set(['callEngine', 'getInstanceQr'])
const OFFICIAL_ONLY = new Set([
  ...['sendRawMessage', 'listTemplates', 'fuseInstances', 'removeFusion'],
  ...['getOfficialSettings', 'updateOfficialSettings', 'getUsername', 'setUsername', 'deleteUsername'],
  ...['getConversationalComponents', 'setConversationalComponents'],
])

/** Some of everything, so that the first requests already find what they ask for. */
export async function createPool(api: Api): Promise<Pool> {
  const made = async (path: string, body: object) => {
    const { status, body: reply } = await api('POST', path, body)
    if (status >= 300) throw new Error(`POST ${path} answers ${status}: ${JSON.stringify(reply)}`)
    return reply as { id: string; message_id: string }
  }
  const instances: string[] = []
  for (const number of ['12025550200', '12025550201', '12025550203', '12025550204']) {
    const { id } = await made('/v1/instances', { name: `Fuzz ${number}` })
    const { body } = await api('GET', `/v1/instances/${id}/qr`)
    await made(`/v1/sandbox/phones/${number}/scan`, { pairing_code: body.pairing_code })
    instances.push(id)
  }
  const { id: official } = await made('/v1/instances', { engine: 'official' })
  await made(`/v1/sandbox/instances/${official}/onboard`, { number: '12025550202' })
  // The other engine's side of the first number: the two can be fused.
  const { id: twin } = await made('/v1/instances', { engine: 'official' })
  await made(`/v1/sandbox/instances/${twin}/onboard`, { number: '12025550200' })
  const paired = instances.splice(0, 2)
  const onboarded = [official, twin]
  const lasting = [...paired, ...onboarded]
  const { id: webhook } = await made('/v1/webhooks', { url: 'https://catcher.sandbox/fuzz', events: ['*'] })
  const messages: Record<string, string[]> = {}
  for (const id of lasting) {
    const { message_id } = await made(`/v1/instances/${id}/messages`, { to: NUMBERS[0], text: 'Hello' })
    messages[id] = [message_id]
  }
  const webhooks = [webhook]
  const { body: log } = await api('GET', '/v1/webhooks/deliveries')
  const deliveries = (log.data as { id: string }[]).map(({ id }) => id)
  const spoken: Record<string, string[]> = {}
  const groups: Record<string, string[]> = {}
  const events: string[] = []
  const files: Record<string, string[]> = {}
  await made(`/v1/sandbox/phones/${NUMBERS[0]}/messages`, { to: '12025550200', media_type: 'image' })
  await until('a file arrives', async () => {
    const { body } = await api('GET', '/v1/events?type=message.received')
    for (const event of body.data as Heard[]) hear(event)
    return events.length > 0
  })
  const at = (list: readonly string[], index: number) => list[index % Math.max(1, list.length)] ?? 'none'

  /** The id for a placeholder. What ends or breaks an instance is done to the others, so that some can always send. */
  const pick = (operationId: string, before: string, index: number, earlier: string): string => {
    if (before.endsWith('/instances') && SMV2_ONLY.has(operationId) && index % 8 !== 1) return at(paired, index)
    if (before.endsWith('/instances') && OFFICIAL_ONLY.has(operationId) && index % 8 !== 1) return at(onboarded, index)
    if (before.endsWith('/instances') && (ENDS.has(operationId) || index % 4 === 0))
      return at(instances.slice(-6), index)
    if (before.endsWith('/instances')) return at(lasting, index)
    if (before.endsWith('/events')) return at(events, index)
    if (before.endsWith('/media')) return at(files[earlier] ?? [], index)
    if (before.endsWith('/deliveries')) return at(deliveries.slice(-20), index)
    // The first one stays.
    if (before.endsWith('/webhooks')) return at(operationId === 'deleteWebhook' ? webhooks.slice(1) : webhooks, index)
    if (before.endsWith('/phones')) return at(NUMBERS, index)
    if (before.endsWith('/catcher')) return at(['fuzz', 'other', 'empty'], index)
    if (before.includes('/phones/')) return at(spoken[earlier] ?? [], index)
    return at(messages[earlier] ?? [], index)
  }

  return {
    request(recipe, key) {
      const { operation, ids, query, headers, key: wanted } = recipe
      const parts = operation.path.split('/')
      const picked: string[] = []
      const places = parts.map((part, index) => {
        if (!part.startsWith('{')) return part
        const id = ids[picked.length] ?? 0
        const before = parts.slice(0, index).join('/')
        const chosen = typeof id === 'number' ? pick(operation.id, before, id, picked.at(-1) ?? '') : id
        picked.push(chosen)
        return typeof id === 'string' && id.includes('%') ? id : encodeURIComponent(chosen)
      })
      const body = filledIn(recipe.body, picked[0] ?? '', Number(ids[1]) || 0)
      const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
      const text = body === undefined ? undefined : JSON.stringify(body)
      const token = { valid: key, wrong: `${key.slice(0, -1)}_`, none: undefined }[wanted]
      return {
        recipe: { ...recipe, body },
        asked: {
          method: operation.method,
          path: `${places.join('/')}${asked.size === 0 ? '' : `?${asked.toString()}`}`,
          headers: {
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            // Node frames the body of a DELETE only when it is told how long it is.
            ...(text !== undefined && {
              'content-type': recipe.operation.fileTypes[0] ?? 'application/json',
              'content-length': String(Buffer.byteLength(text)),
            }),
            ...headers,
          },
          body: text,
        },
      }
    },
    learn({ id }, { path }, reply) {
      if (!isRecord(reply)) return
      const number = /\/phones\/([^/?]+)/.exec(path)?.[1] ?? ''
      const instance = /\/instances\/([^/?]+)/.exec(path)?.[1] ?? ''
      const own = reply['id']
      if (id === 'createInstance' && typeof own === 'string') instances.push(own)
      // The last few stay to be asked for once more.
      if (id === 'deleteInstance' && instances.length > 3) instances.splice(instances.indexOf(instance), 1)
      if (id === 'deleteWebhook') webhooks.splice(webhooks.indexOf(path.split('/').at(-1) ?? ''), 1)
      if (id === 'createWebhook' && typeof own === 'string') webhooks.push(own)
      if (id === 'speakFromSandboxPhone' && typeof own === 'string') (spoken[number] ??= []).push(own)
      if (typeof reply['message_id'] === 'string') (messages[instance] ??= []).push(reply['message_id'])
      if (id === 'listDeliveries' && Array.isArray(reply['data']))
        for (const found of reply['data'] as { id: string }[])
          if (!deliveries.includes(found.id)) deliveries.push(found.id)
      if (id === 'listEvents') for (const event of reply['data'] as Heard[]) hear(event)
      if (id === 'callEngine') learnGroup(instance, reply['result'])
    },
  }

  /** Fields that hold `{field}` name something that exists. */
  function filledIn(body: unknown, instance: string, index: number): unknown {
    if (!isRecord(body)) return body
    const lists: Record<string, readonly string[]> = {
      message_id: messages[instance] ?? [],
      group_id: groups[instance] ?? [],
      smv2_instance_id: paired,
    }
    const fields = Object.entries(body).map(([name, value]) => {
      const isOpen = value === `{${name}}`
      return [name, isOpen ? at(lists[name] ?? [], index) : value]
    })
    return Object.fromEntries(fields) as Record<string, unknown>
  }

  function hear({ event_id: event, instance, data }: Heard): void {
    if (!events.includes(event)) events.push(event)
    if (data.media?.id !== undefined) (files[instance.id] ??= []).push(data.media.id)
    if (data.from_me === false && data.message_id !== undefined) (messages[instance.id] ??= []).push(data.message_id)
  }

  function learnGroup(instance: string, result: unknown): void {
    const group = isRecord(result) ? result['group'] : undefined
    if (isRecord(group)) (groups[instance] ??= []).push(String(group['group_id']))
  }
}

/** An event, as far as it says what exists. */
interface Heard {
  readonly event_id: string
  readonly instance: { readonly id: string }
  readonly data: {
    readonly message_id?: string
    readonly from_me?: boolean
    readonly media?: { readonly id: string } | null
  }
}
