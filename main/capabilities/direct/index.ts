import { GROUP_ID, NUMBER, USER_ID } from '../../contract/addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Source } from '../../contract/shapes.ts'
import type { DirectActs, ReceivedFile, TypingState } from '../../engines/direct.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import { callOnce, type Created, type KeyedDeps } from '../../kernel/keyed-request.ts'
import type { Log } from '../../kernel/log.ts'
import { createEngineCalls, isUndone, notSupported, requireAddress, requireConnected } from '../engine-call.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import type { Messages, SendResult } from '../messages/index.ts'
import { guardAdditions, type ReserveAdditions } from '../group-additions.ts'
import type { Result } from './act-context.ts'
import { findAct } from './acts.ts'
import type { RawMessage } from './contract.ts'
import { ACTIONS, type ActionBody } from './contract/actions.ts'
import { parseRaw } from './raw.ts'
import { findDraft } from './sends.ts'

export interface DirectDeps extends KeyedDeps {
  readonly clock: Clock
  readonly ids: Pick<Ids, 'tagged'>
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
  readonly messages: Pick<Messages, 'sendDraft' | 'getRef' | 'lastRef' | 'lastReceivedRef' | 'fetchFile'>
  readonly config: { readonly sendTimeoutMs: number }
  readonly log: Log
  readonly reserveAdditions: ReserveAdditions
}

/** The caller and the fields that all sends share. */
interface DirectCall {
  readonly instance: InstanceSubject
  readonly rawBody: () => unknown
  readonly idempotencyKey: string | null
  readonly source: Source
  readonly requireAccess: RequireAccess
}

/** The outcome of a send, or the result of another action. */
type DirectResult =
  | { readonly kind: 'send'; readonly result: SendResult }
  | { readonly kind: 'created'; readonly created: Created }
  | { readonly kind: 'done'; readonly result: Result }

export interface Direct {
  /** @throws ApiError not_found for a group or action that does not exist. */
  requireAction(group: string, action: string): void
  /** Executes one of the allowed actions. */
  call(group: string, action: string, asked: DirectCall & { readonly body: ActionBody }): Promise<DirectResult>
  /** A raw payload of the Cloud API. */
  raw(asked: DirectCall & { readonly payload: RawMessage }): Promise<DirectResult>
  /** @throws ApiError validation_error if the chat is invalid, engine_mismatch, invalid_state. */
  type(instance: InstanceSubject, chat: string, state?: TypingState): Promise<void>
  /** @throws ApiError not_found */
  media(instance: InstanceSubject, mediaId: string): Promise<ReceivedFile>
}

/** Actions that create a new object each time they are repeated. */
const CREATING: ReadonlySet<string> = new Set(['group/create', 'community/create', 'channel/post', 'label/save'])

/** Calls functions of an engine beyond the normalized operations. Sends are still ordinary messages. */
export function createDirect(deps: DirectDeps): Direct {
  const { instances, messages } = deps
  const withLimits = createEngineCalls(deps)

  async function send(asked: DirectCall, operation: string, draft: Parameters<Messages['sendDraft']>[0]['draft']) {
    const { instance, rawBody, idempotencyKey, source, requireAccess } = asked
    const sent = { instance, draft, operation, rawBody, idempotencyKey, source, requireAccess }
    const result = await messages.sendDraft(sent)
    return { kind: 'send', result } as const
  }

  async function fetchPicture({ accountId }: InstanceSubject, url: string): Promise<Buffer> {
    const { mimeType, bytes } = await messages.fetchFile(accountId, url, 'image')
    if (mimeType === 'image/jpeg') return bytes
    throw new ApiError('validation_error', `media_url returned ${mimeType}. Pictures must be image/jpeg.`)
  }

  return {
    requireAction(group, action) {
      const known: readonly string[] = Object.hasOwn(ACTIONS, group) ? ACTIONS[group as keyof typeof ACTIONS] : []
      if (known.includes(action)) return
      const asked = `${group}/${action}`.slice(0, 64)
      throw new ApiError('not_found', `There is no smv2 action ${asked}. See the API reference for the list.`)
    },

    async call(group, action, asked) {
      const { instance, body } = asked
      const draft = findDraft(group, action, body)
      if (draft) return send(asked, `POST engine/smv2/${group}/${action}`, draft)
      const act = findAct(group, action)
      if (!act) throw new Error(`${group}/${action} is listed and not implemented`)
      // Called once the action has read its fields: the body is validated before the state.
      const engine: ReturnType<typeof actFinder> = (name) => {
        requireConnected(instance)
        const found = actFinder(instances.engineFor(instance))(name)
        return guardAdditions(name, found, (phones) => deps.reserveAdditions(instance, phones))
      }
      const message = (id: string) => messages.getRef(instance.id, id)
      const lastMessage = (chat: string) => messages.lastRef(instance.id, chat)
      const picture = (url: string) => fetchPicture(instance, url)
      const file = (url: string, type: 'image' | 'video') => messages.fetchFile(instance.accountId, url, type)
      const run = () => withLimits(instance, () => act({ instance, body, message, lastMessage, engine, picture, file }))
      if (!CREATING.has(`${group}/${action}`)) return { kind: 'done', result: await run() }
      const { idempotencyKey: key, rawBody } = asked
      const operation = `POST engine/smv2/${group}/${action}`
      const request = { operation, scopeId: instance.id, key, rawBody: rawBody(), subjectId: deps.ids.tagged('act') }
      const answer = async () => ({ engine: 'smv2', result: await run() })
      return { kind: 'created', created: await callOnce(deps, request, answer, isUndone) }
    },

    async raw(asked) {
      const { instance, payload } = asked
      const read = parseRaw(payload)
      if (read.kind === 'send') return send(asked, 'POST engine/official/messages', read.draft)
      requireConnected(instance)
      const markRead = actFinder(instances.engineFor(instance))('markRead')
      const message = read.messageId.startsWith('msg_')
        ? await messages.getRef(instance.id, read.messageId)
        : { engineMessageId: read.messageId, chat: '', isOwn: false, participant: null }
      await withLimits(instance, () => markRead(instance, message, read.isTyping))
      return { kind: 'done', result: { success: true } }
    },

    async type(instance, chat, state = 'typing') {
      if (!CHAT.test(chat))
        throw new ApiError(
          'validation_error',
          'chat must be a number, digits only, the id of a group, or a hidden id.',
        ).because('not_phone', { field: 'chat' })
      requireAddress(instance, chat, 'chat')
      requireConnected(instance)
      const showTyping = actFinder(instances.engineFor(instance))('showTyping')
      const received = await messages.lastReceivedRef(instance.id, chat)
      await withLimits(instance, () => showTyping(instance, chat, state, received))
    },

    async media(instance, mediaId) {
      const read = instances.engineFor(instance).media
      const file = read ? await withLimits(instance, () => read(instance, mediaId)) : null
      if (file) return file
      throw new ApiError(
        'not_found',
        'No file has this id, or it is no longer kept. Use media.id of the message.received event.',
      )
    },
  }
}

const CHAT = new RegExp(`^(?:${NUMBER}|${USER_ID}|${GROUP_ID})$`)

/** Finds an engine's function by the name of the action. */
function actFinder({ direct = {} }: Engine) {
  return <K extends keyof DirectActs>(act: K): DirectActs[K] => {
    const found = direct[act]
    if (found) return found
    throw notSupported()
  }
}
