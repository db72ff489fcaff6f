import { FIELD_MAP_DEFAULT, SYNC_DEFAULT } from '../../../contract/crm.ts'
import type { CrmProblemCode } from '../../../contract/crm.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Creator } from '../../../kernel/access.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db, Tx } from '../../../kernel/db.ts'
import type { Secret } from '../../../kernel/secret.ts'
import type { InstanceSubject, RequireAccess } from '../../handler.ts'
import type { WebhookBody } from '../contract/webhook.ts'
import type { CrmDeps } from '../deps.ts'
import { endPreviousSecretsOf, wipePrevious } from '../link-store.ts'
import type { CrmLink, Links } from '../links.ts'
import type { Signing } from './signing.ts'

interface SettingsDeps extends Pick<CrmDeps, 'outbound'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly links: Links
  readonly signing: Signing
  readonly resume: (tx: Tx, queue: string) => Promise<void>
  readonly suspend: (tx: Tx, queue: string, why: { code: CrmProblemCode; message: string }) => Promise<void>
}

/** The CRM webhook of an instance and its secret. */
export function createWebhookSettings({ db, clock, links, signing, outbound, resume, suspend }: SettingsDeps) {
  return {
    /** @returns the secret if it is new. @throws ApiError invalid_url, sealed */
    async set(
      { id: instanceId, accountId, network }: InstanceSubject,
      { url: address, sync }: WebhookBody,
      createdBy: Creator | null,
      requireAccess: RequireAccess,
    ): Promise<Secret | null> {
      const { href: url } = await outbound.checkUrl(address, { schemes: ['https'], field: 'url' })
      return db.commit(async (tx) => {
        // Checked again, because looking up the address takes a while.
        await requireAccess(tx)
        const before = await links.find(instanceId, 'webhook', tx)
        const id = before?.id ?? links.newId()
        const { secret, secretEnc } = signing.newSecret(id)
        const fresh = { secretEnc, secretLast4: secret.last4, secretCreatedBy: createdBy }
        if (before !== undefined) {
          const hasEnded = before.secretEnc === null
          await links.change(tx, before, { url, sync: { ...before.sync, ...sync }, ...(hasEnded && fresh) })
          await resume(tx, before.queue)
          return hasEnded ? secret : null
        }
        const link = await links.add(
          tx,
          {
            ...{ accountId, instanceId, kind: 'webhook', mode: 'webhook', side: network, state: 'connected' },
            ...{ queue: `webhook:${id}`, locationId: null, locationName: null, companyId: null, providerId: null },
            ...{ url, ...fresh, prevSecretEnc: null, prevExpiresAtMs: null, prevSecretCreatedBy: null },
            ...{ sync: { ...SYNC_DEFAULT, ...sync }, fieldMap: FIELD_MAP_DEFAULT, paused: 0 },
          },
          id,
        )
        await resume(tx, link.queue)
        return secret
      })
    },

    /** @throws ApiError invalid_state without a webhook, sealed */
    async rotate(instanceId: string, overlapSeconds: number, createdBy: Creator | null): Promise<Secret> {
      const link = await links.find(instanceId, 'webhook')
      if (link === undefined) throw notConnected()
      const { secret, secretEnc } = signing.newSecret(link.id)
      await db.commit(async (tx) => {
        const current: CrmLink = (await links.find(instanceId, 'webhook', tx)) ?? link
        const hasEnded = current.secretEnc === null
        const keeps = overlapSeconds > 0 && !hasEnded
        await links.change(tx, current, {
          ...{ secretEnc, secretLast4: secret.last4, secretCreatedBy: createdBy },
          prevSecretEnc: keeps ? current.secretEnc : null,
          prevExpiresAtMs: keeps ? clock.now() + overlapSeconds * 1_000 : null,
          prevSecretCreatedBy: keeps ? current.secretCreatedBy : null,
        })
        if (hasEnded) await resume(tx, current.queue)
      })
      return secret
    },

    /** Runs in the commit that ends the access of a person who has seen the secrets. */
    async endSecretsOf(tx: Tx, creator: Creator): Promise<void> {
      await tx.run(endPreviousSecretsOf, { creator })
      for (const link of await links.bySecretOf(creator, tx)) {
        await links.change(tx, link, {
          ...{ secretEnc: null, secretLast4: null, secretCreatedBy: null },
          ...{ prevSecretEnc: null, prevExpiresAtMs: null, prevSecretCreatedBy: null },
        })
        await suspend(tx, link.queue, { code: 'secret_ended', message: SECRET_ENDED })
      }
    },

    wipeExpired: () => db.commit((tx) => tx.run(wipePrevious, { now: clock.now() })),
  }
}

const SECRET_ENDED =
  'The API key or member that created the secret was removed, so the secret no longer works. Create a new one with POST …/crm-webhook/rotate-secret, and enter it in the CRM. Everything waits until then.'

const notConnected = () =>
  new ApiError('invalid_state', 'This instance has no CRM webhook. Set one with PUT …/crm-webhook first.').because(
    'crm_not_connected',
  )
