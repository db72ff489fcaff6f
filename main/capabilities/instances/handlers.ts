import { ApiError } from '../../contract/errors.ts'
import type { InstanceRecord } from '../../contract/instance.ts'
import { isoTime } from '../../contract/request.ts'
import { canAccessInstance, creatorOf, type Principal } from '../../kernel/access.ts'
import { Answer, type Handlers } from '../handler.ts'
import type { instancesContract } from './contract.ts'
import type { Instances } from './index.ts'

export function instancesHandlers(instances: Instances): Handlers<typeof instancesContract> {
  return {
    async createInstance({ principal, body: wish, rawBody, idempotencyKey }) {
      const { accountId } = principal
      const { record, replayed } = await instances.create({
        ...{ accountId, createdBy: creatorOf(principal), wish, rawBody, idempotencyKey },
      })
      return new Answer({ body: record, status: 201, headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} })
    },
    async listInstances({ principal, query }) {
      const { accountId, allowedInstanceIds } = principal
      const list = await instances.list({ accountId, allowedInstanceIds, query })
      return { ...list, data: list.data.map((record) => shownTo(principal, record)) }
    },
    getInstance: async ({ principal, instance }) => shownTo(principal, await instances.get(instance.id)),
    updateInstance: async ({ principal, instance, body }) =>
      shownTo(principal, await instances.update(instance.id, body)),
    async deleteInstance({ instance: { id } }) {
      const { deletedAtMs } = await instances.remove(id)
      return { id, deleted: true, deleted_at: isoTime(deletedAtMs) }
    },
    getInstanceConnection: ({ instance }) => instances.connection(instance.id),
    getInstanceHealth: ({ instance }) => instances.health(instance.id),
    getInstanceQr: ({ instance, query }) => instances.qr.read(instance.id, query.phone),
    refreshInstanceQr: ({ instance }) => instances.qr.refresh(instance.id),
    answerInstancePasskey: ({ instance, body }) => instances.passkey.respond(instance.id, body),
    confirmInstancePasskey: ({ instance, body }) => instances.passkey.confirm(instance.id, body),
    createInstancePasskeyLink: ({ principal, instance }) =>
      instances.passkeyLinks.create(instance.id, creatorOf(principal)),
    restartInstance: ({ instance }) => instances.restart(instance.id),
    async disconnectInstance({ instance: { id }, body: { logout = false }, confirmed }) {
      if (logout && !confirmed) {
        throw new ApiError(
          'confirmation_required',
          'Logging out discards the session, so the phone must be paired again. Nothing was done; add confirm=true to the query to confirm.',
        )
      }
      const { status } = await instances.disconnect(id, logout)
      return { id, connected: false, status, logged_out: logout }
    },
    async importInstanceSession({ instance: { id, accountId }, body }) {
      const files = await instances.readSession(accountId, body.stream)
      const { status, number } = await instances.moving.importSession(id, files)
      return { id, status, phone_number: number }
    },
    async exportInstanceSession({ instance: { id }, body: { passphrase } }) {
      return { id, status: 'disconnected', session: await instances.moving.exportSession(id, passphrase) }
    },
    async recreateInstance({ instance }) {
      const { status } = await instances.recreate.one(instance)
      return { id: instance.id, status, pairing_required: true }
    },
    async recreateInstances({ principal, body: { instance_ids: instanceIds } }) {
      const { batchId, results } = await instances.recreate.batch({
        accountId: principal.accountId,
        instanceIds,
        mayReach: (id) => canAccessInstance(principal, id),
      })
      const accepted = results.filter((result) => 'status' in result).length
      return { batch_id: batchId, accepted, results: [...results] }
    },
  }
}

/** The onboarding link lets its holder connect a number. A key gets it in the answer that creates it, and never again. */
function shownTo({ kind }: Principal, record: InstanceRecord): InstanceRecord {
  if (kind === 'console' || record.onboarding_url === undefined) return record
  const { onboarding_url: _link, ...rest } = record
  return rest
}
