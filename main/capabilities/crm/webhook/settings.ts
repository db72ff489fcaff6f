import { FIELD_MAP_DEFAULT, SYNC_DEFAULT } from '../../../contract/crm.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import type { Secret } from '../../../kernel/secret.ts'
import type { InstanceSubject } from '../../handler.ts'
import type { WebhookBody } from '../contract.ts'
import type { CrmDeps } from '../deps.ts'
import { wipePrevious } from '../link-store.ts'
import type { CrmLink, Links } from '../links.ts'
import type { Signing } from './signing.ts'

interface SettingsDeps extends Pick<CrmDeps, 'outbound'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly links: Links
  readonly signing: Signing
  readonly resume: (tx: Tx, queue: string) => Promise<void>
}

/** The CRM webhook of an instance and its secret. */
export function createWebhookSettings({ db, clock, links, signing, outbound, resume }: SettingsDeps) {
  return {
    /** @returns the secret if it is new. @throws ApiError invalid_url, sealed */
    async set(
      { id: instanceId, accountId, network }: InstanceSubject,
      { url: address, sync }: WebhookBody,
    ): Promise<Secret | null> {
      const { href: url } = await outbound.checkUrl(address, { schemes: ['https'], field: 'url' })
      const id = links.newId()
      const { secret, secretEnc } = signing.newSecret(id)
      return db.commit(async (tx) => {
        const before = await links.find(instanceId, 'webhook', tx)
        if (before !== undefined) {
          await links.change(tx, before, { url, sync: { ...before.sync, ...sync } })
          await resume(tx, before.queue)
          return null
        }
        const link = await links.add(
          tx,
          {
            ...{ accountId, instanceId, kind: 'webhook', mode: 'webhook', side: network, state: 'connected' },
            ...{ queue: `webhook:${id}`, locationId: null, locationName: null, companyId: null, providerId: null },
            ...{ url, secretEnc, prevSecretEnc: null, prevExpiresAtMs: null, secretLast4: secret.last4 },
            ...{ sync: { ...SYNC_DEFAULT, ...sync }, fieldMap: FIELD_MAP_DEFAULT, paused: 0 },
          },
          id,
        )
        await resume(tx, link.queue)
        return secret
      })
    },

    /** @throws ApiError invalid_state without a webhook, sealed */
    async rotate(instanceId: string, overlapSeconds: number): Promise<Secret> {
      const link = await links.find(instanceId, 'webhook')
      if (link === undefined) throw notConnected()
      const { secret, secretEnc } = signing.newSecret(link.id)
      await db.commit(async (tx) => {
        const current: CrmLink = (await links.find(instanceId, 'webhook', tx)) ?? link
        const keeps = overlapSeconds > 0
        await links.change(tx, current, {
          ...{ secretEnc, secretLast4: secret.last4 },
          prevSecretEnc: keeps ? current.secretEnc : null,
          prevExpiresAtMs: keeps ? clock.now() + overlapSeconds * 1_000 : null,
        })
      })
      return secret
    },

    wipeExpired: () => db.commit((tx) => tx.run(wipePrevious, { now: clock.now() })),
  }
}

const notConnected = () =>
  new ApiError('invalid_state', 'This instance has no CRM webhook. Set one with PUT …/crm-webhook first.')
