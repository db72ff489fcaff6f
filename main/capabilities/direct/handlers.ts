import { Answer, answerOfCreated, type Call, type Existence, type Handlers } from '../handler.ts'
import { decodeKeyHeader, sendAnswer } from '../messages/index.ts'
import type { directContract } from './contract.ts'
import type { Direct } from './index.ts'

type Contract = typeof directContract

export function directHandlers(direct: Direct): Handlers<Contract> {
  return {
    async callEngine(call) {
      const { params, body } = call
      const answered = await direct.call(params.group, params.action, { ...toDirectCall(call), body })
      if (answered.kind === 'send') return sendAnswer(answered.result)
      if (answered.kind === 'created') return answerOfCreated(answered.created, 200)
      return new Answer({ status: 200, body: { engine: 'smv2' as const, result: answered.result } })
    },

    async sendRawMessage(call) {
      const answered = await direct.raw({ ...toDirectCall(call), payload: call.body })
      if (answered.kind === 'send') return sendAnswer(answered.result)
      return new Answer({ status: 200, body: { engine: 'official' as const, success: true as const } })
    },

    async showChatTyping({ instance, params, body }) {
      await direct.type(instance, params.chat, body.state)
      return undefined
    },

    async getMedia({ instance, params }) {
      const { content, mimeType, filename } = await direct.media(instance, params.media_id)
      const headers = {
        'Content-Type': MIME.test(mimeType) ? mimeType : 'application/octet-stream',
        'Content-Disposition': dispositionOf(filename),
        'Cache-Control': 'private, max-age=3600',
      }
      return new Answer({ file: content, headers })
    },
  }
}

/** An unknown action is 404 before the body is validated. */
export function directExistence(direct: Direct): Existence<Contract> {
  return {
    async callEngine(_principal, { group, action }) {
      direct.requireAction(group, action)
    },
  }
}

type Sending = Pick<
  Call<Contract['callEngine' | 'sendRawMessage']>,
  'instance' | 'idempotencyKey' | 'principal' | 'rawBody' | 'requireAccess'
>

function toDirectCall(call: Sending) {
  const { instance, idempotencyKey, principal, requireAccess } = call
  // A function: the body is parsed again only when needed.
  return {
    instance,
    idempotencyKey: decodeKeyHeader(idempotencyKey),
    source: principal.source,
    rawBody: () => call.rawBody,
    requireAccess,
  }
}

/** The type comes from an untrusted sender and goes into a header, so its form is checked. */
const MIME = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(; ?[\w-]{1,32}=[\w.-]{1,64})?$/

/** Always a download, because a received file could be a page with a script. Names are encoded as in RFC 5987. */
function dispositionOf(filename: string | null): string {
  if (filename === null) return 'attachment'
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(filename.toWellFormed()).replaceAll(/['()*]/g, escapeMore)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}

const escapeMore = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
