import type { CrmWaiting, CrmWebhookView, GhlView } from '../../contract/crm.ts'
import { FIELD_MAP_DEFAULT, SYNC_DEFAULT } from '../../contract/crm.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Backfill } from './backfill.ts'
import type { CrmDeps } from './deps.ts'
import { writtenGauge } from './inbox-store.ts'
import type { CrmLink } from './links.ts'
import { hiddenOfLink } from './hidden-people.ts'
import { dirtyOfLink, failedOfLink, waitingOfLink } from './outbox-store.ts'
import type { Tokens } from './ghl/tokens.ts'
import type { Sides } from './ghl/sides.ts'

interface ViewsDeps extends Pick<CrmDeps, 'simulator' | 'config'> {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly backfill: Pick<Backfill, 'view'>
  readonly tokens: Pick<Tokens, 'expiresAtMs'>
  readonly sides: Sides
}

/** The fields that the views of both kinds share. */
type Connection = Omit<CrmWebhookView, 'url' | 'secret_last4' | 'inbound_url'>

const NOT_CONNECTED: Connection = {
  ...{ connected: false, state: 'not_connected', paused: false, sync: SYNC_DEFAULT },
  ...{ connected_at: null, last_sync_at: null, last_error: null, backfill: null, hidden_people: 0 },
  waiting: { to_crm: 0, to_contacts: 0, failed: 0, oldest_at: null },
}

/** Connections for API answers and windows. */
export function createViews({ db, backfill, tokens, sides, simulator, config }: ViewsDeps) {
  async function waitingOf({ seq: linkSeq }: CrmLink): Promise<CrmWaiting> {
    const items = await db.read(waitingOfLink, { linkSeq })
    const written = await db.readOne(writtenGauge, { linkSeq })
    const dirty = (await db.readOne(dirtyOfLink, { linkSeq }))?.dirty ?? 0
    const failed = (await db.readOne(failedOfLink, { linkSeq }))?.failed ?? 0
    // Backfilled items are left out, because their age means nothing and the backfill has its own progress.
    const fresh = items.find(({ priority }) => priority === 0)
    const ages = [fresh?.oldestAtMs ?? null, written?.oldestAtMs ?? null].filter((at) => at !== null)
    return {
      to_crm: (fresh?.waiting ?? 0) + dirty,
      to_contacts: written?.waiting ?? 0,
      failed,
      oldest_at: ages.length === 0 ? null : isoTime(Math.min(...ages)),
    }
  }

  const common = async (link: CrmLink | undefined): Promise<Connection> => {
    if (link === undefined) return NOT_CONNECTED
    const { state, paused, sync, errorCode, errorMessage, errorAtMs } = link
    return {
      ...{ connected: state === 'connected', state, paused: paused === 1, sync },
      connected_at: isoTime(link.connectedAtMs),
      last_sync_at: isoTimeOrNull(link.lastSyncAtMs),
      last_error:
        errorCode === null ? null : { code: errorCode, message: errorMessage ?? '', at: isoTime(errorAtMs ?? 0) },
      waiting: await waitingOf(link),
      backfill: await backfill.view(link),
      hidden_people: (await db.readOne(hiddenOfLink, { linkSeq: link.seq }))?.people ?? 0,
    }
  }

  return {
    async ghl({ accountId, network }: InstanceSubject, link: CrmLink | undefined): Promise<GhlView> {
      const side = sides.of(network)
      const isSimulated = side.side === 'sandbox'
      // The simulator calls this machine; the real one needs a public URL.
      const reached = isSimulated ? sides.base() : config.publicBaseUrl
      const inbox = isSimulated ? `${sides.base()}${await simulator.pagePath(accountId)}/inbox` : null
      const locationId = link?.locationId ?? null
      const mode = link === undefined || link.mode === 'webhook' ? null : link.mode
      return {
        ...(await common(link)),
        mode,
        location_id: locationId,
        location_name: link?.locationName ?? null,
        company_id: link?.companyId ?? null,
        provider_id: mode === 'token' ? null : (link?.providerId ?? side.providerId),
        channel: 'sms',
        token_expires_at: isoTimeOrNull(locationId === null ? null : await tokens.expiresAtMs(locationId)),
        field_map: [...(link?.fieldMap ?? FIELD_MAP_DEFAULT)],
        delivery_url: reached === null ? null : `${reached}/callbacks/ghl/outbound`,
        events_url: reached === null ? null : `${reached}/callbacks/ghl/app`,
        ...(inbox !== null && { inbox_url: locationId === null ? inbox : `${inbox}?location=${locationId}` }),
      }
    },
    webhook: async (link: CrmLink | undefined): Promise<CrmWebhookView> => ({
      ...(await common(link)),
      url: link?.url ?? null,
      secret_last4: link?.secretLast4 ?? null,
      inbound_url: link === undefined ? null : `${sides.base()}/callbacks/crm/${link.id}`,
    }),
  }
}
