import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import { canAccessInstance, type Principal } from '../../kernel/access.ts'
import type { Db } from '../../kernel/db.ts'
import type { Files } from '../../kernel/files.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Cursors } from '../../kernel/page.ts'
import { readPhone } from '../../kernel/phone-number.ts'
import { Answer, type Handlers } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import { deciderOf } from './decider.ts'
import type { OptOutRecord, optOutsContract, QuestionRecord } from './contract.ts'
import { createImport } from './import.ts'
import { WHOLE_ACCOUNT, type OptOut, type OptOuts } from './index.ts'
import type { OptOutQuestion } from './questions.ts'

interface HandlerDeps {
  readonly db: Db
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly instances: Pick<Instances, 'find'>
  readonly optOuts: OptOuts
}

interface Seen<T> {
  readonly list: string
  readonly limit: number
  readonly cursor: string | undefined
  readonly page: (query: { readonly beforeSeq: number; readonly rows: number }) => Promise<readonly T[]>
  readonly maySee: (one: T) => boolean
}

/** Portion size for skipping rows that a restricted key may not see. */
const PORTION = 500

export function optOutsHandlers({
  db,
  cursors,
  files,
  instances,
  optOuts,
}: HandlerDeps): Handlers<typeof optOutsContract> {
  const importOptOuts = createImport({ db, files, optOuts })

  const getPhone = async (principal: Principal, text: string): Promise<string> => {
    const phone = readPhone(text, await optOuts.country(principal.accountId))
    if (phone !== undefined) return phone
    throw new ApiError(
      'validation_error',
      'phone is not a phone number. Write it with its country code, for example 12025550123.',
    ).because('not_phone', { field: 'phone' })
  }

  /** @throws ApiError not_found, key_restricted */
  const instanceOf = async (principal: Principal, scope: string): Promise<InstanceId | null> => {
    if (scope === WHOLE_ACCOUNT) {
      if (principal.allowedInstanceIds === null) return null
      throw new ApiError('key_restricted', 'This key reaches only some instances. Name one of them as scope.')
    }
    const id = scope.toLowerCase()
    const found = canAccessInstance(principal, id)
      ? await instances.find({ one: db.readOne }, principal.accountId, id)
      : undefined
    if (found !== undefined) return found.id
    throw new ApiError('not_found', 'scope names no instance of this account.').because('chosen_gone', {
      field: 'scope',
    })
  }

  const maySee = (principal: Principal, { scope }: OptOut) =>
    scope === WHOLE_ACCOUNT || canAccessInstance(principal, scope)

  /** A page of the rows that the caller may see. */
  async function seenOf<T extends { readonly seq: number }>({ list, limit, cursor, page, maySee }: Seen<T>) {
    let beforeSeq = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(list, cursor)[0])
    const seen: T[] = []
    for (;;) {
      const portion = await page({ beforeSeq, rows: PORTION })
      seen.push(...portion.filter(maySee))
      if (seen.length > limit || portion.length < PORTION) break
      beforeSeq = portion.at(-1)?.seq ?? 0
    }
    const shown = seen.slice(0, limit)
    const last = seen.length > limit ? shown.at(-1) : undefined
    return { shown, next: last === undefined ? null : cursors.encode(list, [last.seq]) }
  }

  return {
    async listOptOuts({ principal, query: { phone, limit = LIMITS.pageSizeDefault, cursor } }) {
      const { accountId } = principal
      if (phone !== undefined) {
        const found = (await optOuts.ofNumber(accountId, await getPhone(principal, phone))).filter((one) =>
          maySee(principal, one),
        )
        return { data: found.map(toRecord), next_cursor: null, has_more: false }
      }
      const { shown, next } = await seenOf({
        ...{ list: `opt-outs:${accountId}`, limit, cursor },
        page: (query) => optOuts.page(accountId, query),
        maySee: (one) => maySee(principal, one),
      })
      return { data: shown.map(toRecord), next_cursor: next, has_more: next !== null }
    },

    async createOptOut({ principal, body }) {
      const phone = await getPhone(principal, body.phone)
      const instanceId = await instanceOf(principal, body.scope ?? WHOLE_ACCOUNT)
      const { accountId } = principal
      const source = deciderOf(principal)
      const { optOut, isNew } = await db.commit((tx) =>
        optOuts.record(tx, { accountId, phone, instanceId, source, note: body.note ?? null }),
      )
      return new Answer({ status: isNew ? 201 : 200, body: toRecord(optOut) })
    },

    async deleteOptOut({ principal, params, query: { scope } }) {
      const { accountId } = principal
      const phone = readPhone(params.phone, await optOuts.country(accountId)) ?? params.phone
      const mayLift = ({ scope: found }: OptOut) =>
        (scope === undefined || found === scope) &&
        (found === WHOLE_ACCOUNT ? principal.allowedInstanceIds === null : canAccessInstance(principal, found))
      const lifted = await db.commit((tx) => optOuts.lift(tx, accountId, phone, mayLift))
      if (lifted === 0) throw new ApiError('not_found', 'This number is not opted out.')
      return undefined
    },

    importOptOuts: ({ principal, body, query }) => importOptOuts(principal.accountId, body, query),
    async listOptOutQuestions({ principal, query: { limit = LIMITS.pageSizeDefault, cursor } }) {
      const { accountId } = principal
      const { shown, next } = await seenOf({
        ...{ list: `opt-out-questions:${accountId}`, limit, cursor },
        page: (query) => optOuts.questions.page(accountId, query),
        maySee: ({ instanceId }) => canAccessInstance(principal, instanceId),
      })
      return { data: shown.map(toQuestion), next_cursor: next, has_more: next !== null }
    },

    async answerOptOutQuestion({ principal, instance, params, body }) {
      const { accountId } = principal
      const of = { accountId, instanceId: instance.id, chat: body.chat, messageId: params.message_id }
      const instanceId = principal.allowedInstanceIds === null ? null : instance.id
      const optOut = body.opt_out ? { source: deciderOf(principal), instanceId } : null
      if (await optOuts.answer(of, optOut)) return
      throw new ApiError(
        'not_found',
        'This message asks nothing, or no longer: the question was answered, or the person wrote again.',
      )
    },

    getOptOutSettings: ({ principal }) => optOuts.settings.get(principal.accountId),
    updateOptOutSettings: ({ principal, body }) => optOuts.settings.update(principal.accountId, body),
  }
}

const toRecord = ({ phone, scope, source, note, messageId, messageInstance, createdAtMs }: OptOut): OptOutRecord => ({
  phone,
  scope,
  source,
  note,
  message_id: messageId,
  message_instance_id: messageInstance,
  created_at: isoTime(createdAtMs),
})

const toQuestion = ({ instanceId, chat, messageId, text, createdAtMs }: OptOutQuestion): QuestionRecord => ({
  instance_id: instanceId,
  chat,
  message_id: messageId,
  text,
  created_at: isoTime(createdAtMs),
})
