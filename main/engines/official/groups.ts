import type { DirectActs, Group, MemberResult } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { addsNobody, noGroupsBesideTheApp, noOtherAdmins, noSuchGroup } from '../group-rules.ts'
import { toError } from './errors.ts'
import type { GraphCall, GraphClient } from './graph-client.ts'
import { groupName, metaGroupId } from './group-id.ts'
import type { GroupRequests } from './group-requests.ts'
import { digitsOf, integerAt, recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { ConnectedNumber } from './numbers.ts'
import type { People } from './people.ts'
import type { GraphCredentials, NotOk } from './transport.ts'

interface GroupsDeps {
  readonly client: Pick<GraphClient, 'ask'>
  readonly connected: (instance: EngineInstance) => { number: ConnectedNumber; speaker: GraphCredentials }
  readonly people: Pick<People, 'nameOf'>
  readonly requests: GroupRequests
  readonly refusal: (reply: NotOk) => Error
}

type GroupActs = Pick<
  DirectActs,
  | (
      | 'groups'
      | 'group'
      | 'createGroup'
      | 'changeMembers'
      | 'inviteLink'
      | 'renameGroup'
      | 'describeGroup'
      | 'leaveGroup'
    )
  | ('joinRequests' | 'answerJoinRequests')
>

type GroupCall = Pick<GraphCall, 'method' | 'path' | 'query'>

const FIELDS = 'subject,description,creation_timestamp,suspended,participants,join_approval_mode'
const PAGE = 100
/** Meta allows 10,000 groups for each number. */
const MOST_PAGES = 100
const MOST_KNOWN = 1_000
const UNKNOWN_OBJECT = 100

/**
 * Groups that a number created with Meta's Groups API. Nobody can be added to them: people join with the invite link.
 */
export function createGroups({ client, connected, people, requests, refusal }: GroupsDeps): GroupActs {
  /** Groups confirmed to belong to their number, because one token may serve several numbers. */
  const known = new Set<string>()

  async function ask(instance: EngineInstance, call: GroupCall, body?: object) {
    const { number, speaker } = connected(instance)
    if (number.facts?.isCoexistence === true) throw noGroupsBesideTheApp()
    const reply = await client.ask({
      ...call,
      ...{ token: speaker.accessToken, accountId: speaker.accountId, version: speaker.version },
      ...(body && {
        body: {
          type: 'application/json',
          bytes: Buffer.from(JSON.stringify({ messaging_product: 'whatsapp', ...body })),
        },
      }),
    })
    if (reply.kind === 'ok') return reply.body
    throw reply.kind === 'error' && reply.error.code === UNKNOWN_OBJECT ? noSuchGroup() : refusal(reply)
  }

  /** Waits for the outcome of a change. @throws ApiError invalid_state with Meta's message. */
  async function confirmed(answer: Json): Promise<Json> {
    const requestId = textAt(answer, 'request_id')
    if (requestId === null) return answer
    const outcome = await requests.outcomeOf(requestId)
    const [first] = recordsAt(outcome, 'errors')
    const error = first && toError(first)
    if (error === undefined) return outcome
    throw refusal({ kind: 'error', error, status: 400, retryAfterSeconds: null })
  }

  async function* listed(instance: EngineInstance): AsyncGenerator<Json> {
    const { number } = connected(instance)
    let after: string | null = null
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query = { limit: String(PAGE), ...(after !== null && { after }) }
      const body: Json = await ask(instance, { method: 'GET', path: `${number.phoneNumberId}/groups`, query })
      yield* recordsAt(recordAt(body, 'data'), 'groups')
      const paging = recordAt(body, 'paging')
      after = textAt(paging, 'next') === null ? null : textAt(recordAt(paging, 'cursors'), 'after')
      if (after === null) return
    }
  }

  /** @returns Meta's id. @throws ApiError not_found for a group of another number. */
  async function mine(instance: EngineInstance, name: string): Promise<string> {
    const id = metaGroupId(name)
    const key = `${instance.id} ${id}`
    if (known.has(key)) return id
    for await (const group of listed(instance)) {
      if (textAt(group, 'id') !== id) continue
      if (known.size >= MOST_KNOWN) known.clear()
      known.add(key)
      return id
    }
    throw noSuchGroup()
  }

  async function toGroup(instance: EngineInstance, id: string, body: Json): Promise<Group> {
    const { number } = connected(instance)
    const members = recordsAt(body, 'participants').map(personIn)
    const others = await Promise.all(members.map((person) => people.nameOf(instance.id, person)))
    return {
      ...{ id: groupName(id) ?? '', kind: 'group', communityId: null, owner: number.number },
      name: textAt(body, 'subject') ?? '',
      createdAtMs: (integerAt(body, 'creation_timestamp') ?? integerAt(body, 'created_at') ?? 0) * 1_000,
      description: textAt(body, 'description'),
      ...{ isAnnounceOnly: false, isLocked: true, isAddedToByAdmins: true, isOwnAdmin: true },
      needsApproval: textAt(body, 'join_approval_mode') === 'approval_required',
      members: [
        { number: number.number, isAdmin: true },
        ...others.filter((name) => name !== number.number).map((name) => ({ number: name, isAdmin: false })),
      ],
    }
  }

  async function read(instance: EngineInstance, id: string): Promise<Group> {
    const body = await ask(instance, { method: 'GET', path: id, query: { fields: FIELDS } })
    return toGroup(instance, id, body)
  }

  async function requestsOf(instance: EngineInstance, id: string) {
    const body = await ask(instance, { method: 'GET', path: `${id}/join_requests` })
    const found = recordsAt(body, 'data').map(async (entry) => ({
      id: textAt(entry, 'join_request_id') ?? '',
      number: await people.nameOf(instance.id, personIn(entry)),
      requestedAtMs: (integerAt(entry, 'creation_timestamp') ?? 0) * 1_000,
    }))
    return Promise.all(found)
  }

  const settings = async (instance: EngineInstance, name: string, change: object) => {
    const outcome = await confirmed(await ask(instance, { method: 'POST', path: await mine(instance, name) }, change))
    for (const part of ['group_subject', 'group_description']) {
      const [first] = recordsAt(recordAt(outcome, part), 'errors')
      const error = first && toError(first)
      if (error !== undefined) throw refusal({ kind: 'error', error, status: 400, retryAfterSeconds: null })
    }
  }

  return {
    async groups(instance) {
      const found: Group[] = []
      for await (const entry of listed(instance)) {
        const id = textAt(entry, 'id')
        if (id !== null && groupName(id) !== null) found.push(await toGroup(instance, id, entry))
      }
      return found
    },
    group: async (instance, name) => read(instance, await mine(instance, name)),
    async createGroup(instance, subject, members, needsApproval) {
      if (members.length > 0) throw addsNobody()
      const { number } = connected(instance)
      const mode = needsApproval === true ? { join_approval_mode: 'approval_required' } : {}
      const call = { method: 'POST', path: `${number.phoneNumberId}/groups` } as const
      const made = await ask(instance, call, { subject, ...mode })
      const outcome = await confirmed(made)
      const id = textAt(outcome, 'group_id') ?? textAt(outcome, 'id')
      if (id === null || groupName(id) === null) throw new Error('Meta made a group and did not name it')
      return { group: await read(instance, id), results: [] }
    },
    async changeMembers(instance, name, change, numbers) {
      if (change === 'add') throw addsNobody()
      if (change !== 'remove') throw noOtherAdmins()
      const path = `${await mine(instance, name)}/participants`
      const participants = numbers.map((user) => ({ user }))
      const answer = await ask(instance, { method: 'DELETE', path }, { participants })
      const requestId = textAt(answer, 'request_id')
      const outcome = requestId === null ? answer : await requests.outcomeOf(requestId)
      const failed = new Set(
        recordsAt(outcome, 'failed_participants').map((one) => digitsOf(textAt(one, 'input') ?? '')),
      )
      return numbers.map((number): MemberResult => ({ number, reason: failed.has(number) ? 'not_member' : null }))
    },
    async inviteLink(instance, name, isRenewed) {
      const path = `${await mine(instance, name)}/invite_link`
      const answer = isRenewed
        ? await ask(instance, { method: 'POST', path }, {})
        : await ask(instance, { method: 'GET', path })
      const link = textAt(answer, 'invite_link')
      if (link === null) throw new Error('Meta named no invite link')
      return link
    },
    renameGroup: (instance, name, subject) => settings(instance, name, { subject }),
    describeGroup: (instance, name, description) => settings(instance, name, { description: description ?? '' }),
    async leaveGroup(instance, name) {
      const id = await mine(instance, name)
      await confirmed(await ask(instance, { method: 'DELETE', path: id }))
      known.delete(`${instance.id} ${id}`)
    },
    async joinRequests(instance, name) {
      const found = await requestsOf(instance, await mine(instance, name))
      return found.map(({ number, requestedAtMs }) => ({ number, requestedAtMs }))
    },
    async answerJoinRequests(instance, name, numbers, isApproved) {
      const id = await mine(instance, name)
      const idOf = new Map((await requestsOf(instance, id)).map((request) => [request.number, request.id]))
      const asked = numbers.flatMap((number) => idOf.get(number) ?? [])
      const call = { method: isApproved ? 'POST' : 'DELETE', path: `${id}/join_requests` } as const
      const answer = asked.length === 0 ? {} : await ask(instance, call, { join_requests: asked })
      const failed = new Set(recordsAt(answer, 'failed_join_requests').map((one) => textAt(one, 'join_request_id')))
      return numbers.map((number): MemberResult => {
        const request = idOf.get(number)
        if (request === undefined) return { number, reason: 'not_requested' }
        return { number, reason: failed.has(request) ? 'refused' : null }
      })
    },
  }
}

function personIn(entry: Json) {
  const digits = digitsOf(textAt(entry, 'wa_id') ?? '')
  return { number: digits === '' ? null : digits, userId: textAt(entry, 'user_id') ?? (digits === '' ? '' : null) }
}
