import type { Clock } from '../../../kernel/clock.ts'
import type { Random } from '../../../kernel/ids.ts'
import type { Group } from '../../direct.ts'
import { OF_META } from '../groups.ts'
import type { SandboxNetwork } from '../network.ts'
import { GraphFault, ok, parameterFault, type GraphAnswer } from './answers.ts'
import { graphGroupId, groupChange } from './callback-bodies.ts'
import type { Callbacks } from './callbacks.ts'
import { numericId } from './files.ts'
import type { GraphRequest } from './request.ts'
import type { GraphNumber } from './store.ts'
import { asRecord } from './validation.ts'
import { waIdOf } from './wa-id.ts'

interface GroupRouteDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly network: Pick<SandboxNetwork, 'groups'>
  readonly callbacks: Pick<Callbacks, 'send'>
}

type Json = Readonly<Record<string, unknown>>
type JsonOf = (request: GraphRequest) => Json

const MOST_PEOPLE = 8
const SUBJECT_LENGTH = 128
const DESCRIPTION_LENGTH = 2_048

interface JoinRequest {
  readonly id: string
  readonly user: string
  readonly atMs: number
}

/**
 * Meta's Groups API ("Group management", "Webhooks for Groups API"): a change is accepted immediately, and a callback
 * reports the outcome. Who may use the API, and who waits to join a group, is kept in memory.
 */
export function createGroupRoutes({ clock, random, network, callbacks }: GroupRouteDeps) {
  const { groups } = network
  const withoutAccess = new Set<string>()
  const suspended = new Set<string>()
  const besideApp = new Set<string>()
  const approved = new Set<string>()
  const waiting = new Map<string, JoinRequest[]>()

  const name = (id: string) => `${id}@g.us`
  const seconds = () => Math.floor(clock.now() / 1_000)
  const tell = (number: GraphNumber, field: string, group: object) =>
    callbacks.send(number, groupChange(number, field, { timestamp: String(seconds()), ...group }))

  function requireAccess({ phoneNumberId }: GraphNumber): void {
    if (besideApp.has(phoneNumberId))
      throw new GraphFault(400, 131_215, '(#131215) Groups not eligible', 'Coexistence numbers cannot use groups.')
    if (!withoutAccess.has(phoneNumberId)) return
    throw new GraphFault(400, 131_215, '(#131215) Groups not eligible', 'Groups need an Official Business Account.')
  }

  /** An accepted change; its callback follows the answer. */
  function taken(number: GraphNumber, field: string, groupOf: (request_id: string) => Promise<object>): GraphAnswer {
    const request_id = numericId(random)
    setImmediate(() => {
      void groupOf(request_id).then(
        (group) => tell(number, field, group),
        () => undefined,
      )
    })
    return ok({ messaging_product: 'whatsapp', request_id })
  }

  async function list(number: GraphNumber, query: URLSearchParams): Promise<GraphAnswer> {
    const limit = Number(query.get('limit') ?? 25)
    const from = query.get('after') ?? ''
    const made = (await groups.list(number.accountId, number.number)).filter(({ id }) => id.startsWith(OF_META))
    const left = made.filter(({ id }) => id > from).toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const page = left.slice(0, limit)
    const next = left.length > limit && { next: 'https://graph.facebook.com/' }
    return ok({
      data: {
        groups: page.map(({ id, name: subject, createdAtMs }) => ({
          ...{ id: graphGroupId(id), subject, created_at: Math.floor(createdAtMs / 1_000) },
        })),
      },
      ...(page.length > 0 && { paging: { cursors: { after: page.at(-1)?.id ?? '', before: '' }, ...next } }),
    })
  }

  function create(number: GraphNumber, body: Json): GraphAnswer {
    const { subject, description, join_approval_mode: mode = 'auto_approve' } = body
    requireText(subject, 'subject', SUBJECT_LENGTH)
    if (description !== undefined) requireText(description, 'description', DESCRIPTION_LENGTH)
    if (mode !== 'auto_approve' && mode !== 'approval_required')
      throw parameterFault('Param join_approval_mode must be one of {auto_approve, approval_required}.')
    return taken(number, 'group_lifecycle_update', async (request_id) => {
      const { accountId, number: owner } = number
      const { group } = await groups.create(accountId, owner, String(subject), [], OF_META)
      if (typeof description === 'string') await groups.describe(accountId, owner, group.id, description)
      if (mode === 'approval_required') approved.add(group.id)
      const invite_link = await groups.invite(accountId, owner, group.id, false)
      const words = { subject, ...(typeof description === 'string' && { description }) }
      const made = { type: 'group_create', request_id, group_id: graphGroupId(group.id) }
      return { ...made, ...words, invite_link, join_approval_mode: mode }
    })
  }

  const describe = ({ id, name: subject, description, createdAtMs, members }: Group, owner: string) => ({
    ...{ messaging_product: 'whatsapp', id: graphGroupId(id), subject, suspended: suspended.has(id) },
    ...(description !== null && { description }),
    creation_timestamp: String(Math.floor(createdAtMs / 1_000)),
    total_participant_count: members.length - 1,
    participants: members.filter(({ number }) => number !== owner).map(({ number }) => ({ wa_id: waIdOf(number) })),
    join_approval_mode: approved.has(id) ? 'approval_required' : 'auto_approve',
  })

  function update(number: GraphNumber, group: Group, body: Json): GraphAnswer {
    const { subject, description } = body
    if (subject !== undefined) requireText(subject, 'subject', SUBJECT_LENGTH)
    if (typeof description === 'string' && description.length > DESCRIPTION_LENGTH)
      throw parameterFault('Param description is too long.')
    return taken(number, 'group_settings_update', async (request_id) => {
      const { accountId, number: owner } = number
      const done: Record<string, object> = {}
      if (typeof subject === 'string') {
        await groups.rename(accountId, owner, group.id, subject)
        done['group_subject'] = { text: subject, update_successful: true }
      }
      if (typeof description === 'string') {
        await groups.describe(accountId, owner, group.id, description === '' ? null : description)
        done['group_description'] = { text: description, update_successful: true }
      }
      return { type: 'group_settings_update', request_id, group_id: graphGroupId(group.id), ...done }
    })
  }

  function removePeople(number: GraphNumber, group: Group, { participants }: Json): GraphAnswer {
    if (!Array.isArray(participants) || participants.length === 0 || participants.length > MOST_PEOPLE)
      throw parameterFault(`participants must name 1 to ${MOST_PEOPLE} people.`)
    const users = participants.map((one: unknown) => {
      const user = asRecord(one)?.['user']
      return typeof user === 'string' ? user : ''
    })
    return taken(number, 'group_participants_update', async (request_id) => {
      const digits = users.map((user) => user.replace(/^\+/, ''))
      const results = await groups.change(number.accountId, number.number, group.id, 'remove', digits)
      const removed = results.filter(({ reason }) => reason === null).map(({ number: input }) => ({ input }))
      const failed = results.filter(({ reason }) => reason !== null).map(({ number: input }) => ({ input }))
      return {
        ...{
          type: 'group_participants_remove',
          request_id,
          group_id: graphGroupId(group.id),
          initiated_by: 'business',
        },
        ...(removed.length > 0 && { removed_participants: removed }),
        ...(failed.length > 0 && {
          failed_participants: failed,
          errors: [{ code: 131_206, message: 'Failed to remove some participants from the group', title: 'Failed' }],
        }),
      }
    })
  }

  async function answerRequests(number: GraphNumber, group: Group, body: Json, isApproved: boolean) {
    const asked = body['join_requests']
    if (!Array.isArray(asked) || asked.length === 0) throw parameterFault('join_requests must be a list of ids.')
    const open = waiting.get(group.id) ?? []
    const found = open.filter(({ id }) => asked.includes(id))
    waiting.set(
      group.id,
      open.filter((request) => !found.includes(request)),
    )
    const unknown = asked.filter((id) => !found.some((request) => request.id === id))
    if (isApproved) for (const { user } of found) await admit(number, group.id, user)
    return ok({
      messaging_product: 'whatsapp',
      [isApproved ? 'approved_join_requests' : 'rejected_join_requests']: found.map(({ id }) => id),
      ...(unknown.length > 0 && {
        failed_join_requests: unknown.map((id: unknown) => ({ join_request_id: id, errors: [{ code: 131_203 }] })),
      }),
    })
  }

  async function admit(number: GraphNumber, id: string, user: string): Promise<void> {
    await groups.change(number.accountId, number.number, id, 'add', [user])
    await tell(number, 'group_participants_update', {
      ...{ group_id: graphGroupId(id), type: 'group_participants_add', reason: 'invite_link' },
      added_participants: [{ input: user, wa_id: waIdOf(user) }],
    })
  }

  async function ofGroup(
    number: GraphNumber,
    group: Group,
    edge: string | undefined,
    request: GraphRequest,
    jsonOf: JsonOf,
  ) {
    const { accountId, number: owner } = number
    const call = `${request.method} ${edge ?? ''}`.trim()
    switch (call) {
      case 'GET':
        return ok(describe(group, owner))
      case 'POST':
        return update(number, group, jsonOf(request))
      case 'DELETE':
        return taken(number, 'group_lifecycle_update', async (request_id) => {
          await groups.dissolve(accountId, owner, group.id)
          return { type: 'group_delete', request_id, group_id: graphGroupId(group.id) }
        })
      case 'GET invite_link':
      case 'POST invite_link': {
        const invite_link = await groups.invite(accountId, owner, group.id, request.method === 'POST')
        return ok({ messaging_product: 'whatsapp', invite_link })
      }
      case 'DELETE participants':
        return removePeople(number, group, jsonOf(request))
      case 'GET join_requests':
        return ok({
          data: (waiting.get(group.id) ?? []).map(({ id, user, atMs }) => ({
            ...{ join_request_id: id, wa_id: waIdOf(user), creation_timestamp: String(Math.floor(atMs / 1_000)) },
          })),
        })
      case 'POST join_requests':
      case 'DELETE join_requests':
        return answerRequests(number, group, jsonOf(request), request.method === 'POST')
      default:
        throw parameterFault(`Unsupported ${request.method} request.`)
    }
  }

  return {
    /** `/{phone-number-id}/groups` */
    async ofNumber(number: GraphNumber, request: GraphRequest, jsonOf: JsonOf): Promise<GraphAnswer> {
      requireAccess(number)
      return request.method === 'GET' ? list(number, request.query) : create(number, jsonOf(request))
    },
    /** `/{group-id}` and below. @returns undefined if none of these numbers has a group with this id. */
    async find(
      numbers: readonly GraphNumber[],
      [id = '', edge]: readonly string[],
      request: GraphRequest,
      jsonOf: JsonOf,
    ): Promise<GraphAnswer | undefined> {
      if (!id.startsWith(OF_META)) return undefined
      for (const number of numbers) {
        const group = await groups.get(number.accountId, number.number, name(id)).catch(() => undefined)
        if (group === undefined || group.owner !== number.number) continue
        requireAccess(number)
        return ofGroup(number, group, edge, request, jsonOf)
      }
      return undefined
    },
    /** Sets whether the number's business may have groups. */
    allow({ phoneNumberId }: GraphNumber, isAllowed: boolean): void {
      if (isAllowed) withoutAccess.delete(phoneNumberId)
      else withoutAccess.add(phoneNumberId)
    },
    /** Sets whether the number is also used in the Business app on the phone. */
    useApp({ phoneNumberId }: GraphNumber, isUsed: boolean): void {
      if (isUsed) besideApp.add(phoneNumberId)
      else besideApp.delete(phoneNumberId)
    },
    isBesideApp: ({ phoneNumberId }: GraphNumber): boolean => besideApp.has(phoneNumberId),
    /** Suspends a group, or ends its suspension, as Meta does when a group breaks its rules. */
    async suspend(number: GraphNumber, id: string, isSuspended: boolean): Promise<void> {
      if (isSuspended) suspended.add(id)
      else suspended.delete(id)
      const type = isSuspended ? 'group_suspend' : 'group_suspend_cleared'
      await tell(number, 'group_status_update', { group_id: graphGroupId(id), type })
    },
    /** A person opens the invite link. @returns whether they joined, or asked to join. */
    async join(number: GraphNumber, id: string, user: string): Promise<'joined' | 'asked' | 'full'> {
      const group = await groups.get(number.accountId, number.number, id)
      if (group.members.length > MOST_PEOPLE) return 'full'
      if (!approved.has(id)) {
        await admit(number, id, user)
        return 'joined'
      }
      const request = { id: numericId(random), user, atMs: clock.now() }
      waiting.set(id, [...(waiting.get(id) ?? []), request])
      await tell(number, 'group_participants_update', {
        ...{ group_id: graphGroupId(id), type: 'group_join_request_created', reason: 'invite_link' },
        ...{ join_request_id: request.id, wa_id: waIdOf(user) },
      })
      return 'asked'
    },
  }
}

export type GraphGroups = ReturnType<typeof createGroupRoutes>

function requireText(value: unknown, field: string, most: number): void {
  if (typeof value !== 'string' || value.trim() === '') throw parameterFault(`The parameter ${field} is required.`)
  if (value.length > most) throw parameterFault(`Param ${field} must have at most ${most} characters.`)
}
