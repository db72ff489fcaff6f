import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Source } from '../../contract/shapes.ts'
import type { DirectActs, MediaFile, Template } from '../../engines/direct.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { InstanceSubject } from '../handler.ts'
import { createConcurrencyLimiter, type Messages } from '../messages/index.ts'
import { findAct, type Result } from './acts.ts'
import { callEngine } from './engine-call.ts'
import { ACTIONS, type ActionBody, type RawMessage, type TemplatesQuery } from './contract.ts'
import { parseRaw } from './raw.ts'
import { findDraft } from './sends.ts'

export interface DirectDeps {
  readonly clock: Clock
  readonly cursors: Cursors
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
  readonly messages: Pick<Messages, 'sendDraft' | 'getRef'>
  readonly config: { readonly sendTimeoutMs: number }
  readonly log: Log
}

/** Who asks, and what is the same for every send. */
interface DirectCall {
  readonly instance: InstanceSubject
  readonly rawBody: () => unknown
  readonly idempotencyKey: string | null
  readonly source: Source
}

/** An answer: the exact bytes of a send, or the result of an act. */
export type DirectResult =
  | { readonly kind: 'sent'; readonly bytes: Buffer; readonly replayed: boolean }
  | { readonly kind: 'done'; readonly result: Result }

export interface Direct {
  /** @throws ApiError not_found for a group or action that does not exist. */
  requireAction(group: string, action: string): void
  /** One action of the allow-list. */
  call(group: string, action: string, asked: DirectCall & { readonly body: ActionBody }): Promise<DirectResult>
  /** A raw payload of the Cloud API. */
  raw(asked: DirectCall & { readonly payload: RawMessage }): Promise<DirectResult>
  templates(instance: InstanceSubject, query: TemplatesQuery): Promise<TemplateList>
  /** @throws ApiError not_found */
  media(instance: InstanceSubject, mediaId: string): Promise<MediaFile>
}

interface TemplateList {
  readonly data: ReturnType<typeof toTemplate>[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/** Acts that wait for engines at one moment, in all and for each instance; sends are counted by the messages room. */
const ACT_LIMITS = { inAll: 128, perInstance: 16, bytes: Infinity }

/** Speaking to an engine past the normalized operations. What is sent that way is a message like any other. */
export function createDirect(deps: DirectDeps): Direct {
  const { clock, cursors, instances, messages, config, log } = deps
  const limiter = createConcurrencyLimiter(ACT_LIMITS)
  const timeoutMs = config.sendTimeoutMs

  async function withLimits<T>({ id }: InstanceSubject, act: () => Promise<T>): Promise<T> {
    const slot = limiter.acquire(id, 0)
    if (!slot) throw tooMany()
    try {
      return await callEngine({ clock, log, timeoutMs }, act)
    } finally {
      slot.release()
    }
  }

  async function send(asked: DirectCall, operation: string, draft: Parameters<Messages['sendDraft']>[0]['draft']) {
    const { instance, rawBody, idempotencyKey, source } = asked
    const reply = await messages.sendDraft({ instance, draft, operation, rawBody, idempotencyKey, source })
    return { kind: 'sent', ...reply } as const
  }

  return {
    requireAction(group, action) {
      const known: readonly string[] = Object.hasOwn(ACTIONS, group) ? ACTIONS[group as keyof typeof ACTIONS] : []
      if (known.includes(action)) return
      const asked = `${group}/${action}`.slice(0, 64)
      throw new ApiError('not_found', `The engine smv2 has no ${asked}. The reference lists what it has.`)
    },

    async call(group, action, asked) {
      const { instance, body } = asked
      const draft = findDraft(group, action, body)
      if (draft) return send(asked, `POST engine/smv2/${group}/${action}`, draft)
      const act = findAct(group, action)
      if (!act) throw new Error(`${group}/${action} is in the list of actions, and nothing carries it out`)
      // Asked for by the act once it has read its fields: the body is judged before the state.
      const engine: ReturnType<typeof actFinder> = (name) => {
        requireConnected(instance)
        return actFinder(instances.engineFor(instance))(name)
      }
      const message = (id: string) => messages.getRef(instance.id, id)
      return { kind: 'done', result: await withLimits(instance, () => act({ instance, body, message, engine })) }
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
      await withLimits(instance, () => markRead(instance, message))
      return { kind: 'done', result: { success: true } }
    },

    async templates(instance, { limit = LIMITS.pageSizeDefault, cursor }) {
      const name = `templates ${instance.id}`
      const [after = null] = cursor === undefined ? [] : cursors.decode(name, cursor)
      requireConnected(instance)
      const list = instances.engineFor(instance).templates
      if (!list) throw notSupported()
      const page = { limit, after: after === null ? null : String(after) }
      const found = await withLimits(instance, () => list(instance, page))
      const next = found.after === null ? null : cursors.encode(name, [found.after])
      return { data: found.templates.map(toTemplate), next_cursor: next, has_more: next !== null }
    },

    async media(instance, mediaId) {
      const read = instances.engineFor(instance).media
      const file = read ? await withLimits(instance, () => read(instance, mediaId)) : null
      if (file) return file
      throw new ApiError(
        'not_found',
        'There is no file with this id, or it is no longer kept. media.id of the event message.received names it.',
      )
    },
  }
}

const toTemplate = ({ components, ...template }: Template) => ({
  ...template,
  components: components.map((component): Record<string, unknown> => ({ ...component })),
})

function requireConnected({ connected }: InstanceSubject): void {
  if (connected) return
  throw new ApiError(
    'not_ready',
    'The instance is not connected, so nothing was done. Connect it (GET …/connection shows its state), then try again.',
  )
}

/** What an engine has, by the name of the act. */
function actFinder({ direct = {} }: Engine) {
  return <K extends keyof DirectActs>(act: K): DirectActs[K] => {
    const found = direct[act]
    if (found) return found
    throw notSupported()
  }
}

const notSupported = () => new ApiError('engine_mismatch', 'The engine of this instance cannot do this.')

const tooMany = () =>
  new ApiError(
    'service_unavailable',
    'Too many calls are waiting for their engine, so nothing was done. Repeat the call in a second.',
    { 'Retry-After': '1' },
  )
