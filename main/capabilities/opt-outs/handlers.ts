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
import type { OptOutRecord, optOutsContract } from './contract.ts'
import { createImport } from './import.ts'
import { WHOLE_ACCOUNT, type OptOut, type OptOuts } from './index.ts'

interface HandlerDeps {
  readonly db: Db
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
  readonly instances: Pick<Instances, 'find'>
  readonly optOuts: OptOuts
}

/** Rows that a restricted key does not see are skipped, in portions of this size. */
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

  return {
    async listOptOuts({ principal, query: { phone, limit = LIMITS.pageSizeDefault, cursor } }) {
      const { accountId } = principal
      if (phone !== undefined) {
        const found = (await optOuts.ofNumber(accountId, await getPhone(principal, phone))).filter((one) =>
          maySee(principal, one),
        )
        return { data: found.map(toRecord), next_cursor: null, has_more: false }
      }
      const list = `opt-outs:${accountId}`
      let beforeSeq = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(list, cursor)[0])
      const seen: OptOut[] = []
      for (;;) {
        const portion = await optOuts.page(accountId, { beforeSeq, rows: PORTION })
        seen.push(...portion.filter((one) => maySee(principal, one)))
        if (seen.length > limit || portion.length < PORTION) break
        beforeSeq = portion.at(-1)?.seq ?? 0
      }
      const shown = seen.slice(0, limit)
      const last = seen.length > limit ? shown.at(-1) : undefined
      return {
        data: shown.map(toRecord),
        next_cursor: last === undefined ? null : cursors.encode(list, [last.seq]),
        has_more: last !== undefined,
      }
    },

    async createOptOut({ principal, body }) {
      const phone = await getPhone(principal, body.phone)
      const instanceId = await instanceOf(principal, body.scope ?? WHOLE_ACCOUNT)
      const { accountId, source: caller } = principal
      const source = caller === 'console' || caller === 'mcp' ? caller : 'api'
      const { optOut, isNew } = await db.commit((tx) =>
        optOuts.record(tx, { accountId, phone, instanceId, source, note: body.note ?? null }),
      )
      return new Answer({ status: isNew ? 201 : 200, body: toRecord(optOut) })
    },

    async deleteOptOut({ principal, params, query: { scope } }) {
      const { accountId } = principal
      const phone = readPhone(params.phone, await optOuts.country(accountId)) ?? params.phone
      const mayLift = (found: string) =>
        (scope === undefined || found === scope) &&
        (found === WHOLE_ACCOUNT ? principal.allowedInstanceIds === null : canAccessInstance(principal, found))
      const lifted = await db.commit((tx) => optOuts.lift(tx, accountId, phone, mayLift))
      if (lifted === 0) throw new ApiError('not_found', 'This number is not opted out.')
      return undefined
    },

    importOptOuts: ({ principal, body, query }) => importOptOuts(principal.accountId, body.stream, query),
    getOptOutSettings: ({ principal }) => optOuts.settings.get(principal.accountId),
    updateOptOutSettings: ({ principal, body }) => optOuts.settings.update(principal.accountId, body),
  }
}

const toRecord = ({ phone, scope, source, note, createdAtMs }: OptOut): OptOutRecord => ({
  phone,
  scope,
  source,
  note,
  created_at: isoTime(createdAtMs),
})
