import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { NewWidget, VoiceWidget, WidgetAppearance, WidgetPatch } from '../../contract/voice.ts'
import { stillBusy } from '../../kernel/idempotency.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Allowance } from './allowance.ts'
import type { VoiceDeps } from './deps.ts'
import type { SignedLinks } from './links.ts'
import { readOrigin } from './origins.ts'
import { toWidget } from './record.ts'
import {
  countWidgets,
  insertSetup,
  insertWidget,
  removeWidget,
  saveWidget,
  widgetById,
  widgetsOfInstance,
  type StoredWidget,
} from './setup-store.ts'

const APPEARANCE: WidgetAppearance = { color: '#0f766e', position: 'right', language: 'auto', title: null }

interface WidgetsDeps extends Pick<
  VoiceDeps,
  'db' | 'clock' | 'ids' | 'cursors' | 'idempotency' | 'agents' | 'config' | 'baseUrl'
> {
  readonly links: Pick<SignedLinks, 'to'>
  readonly allowance: Pick<Allowance, 'ofWidget'>
  /** Ends the calls of a widget that was deleted. */
  readonly endCallsOf: (widgetId: string) => void
}

/** Buttons for web pages. */
export function createWidgets(deps: WidgetsDeps) {
  const { db, clock, ids, cursors, idempotency, agents, config, baseUrl, allowance, endCallsOf, links } = deps
  const present = (widget: StoredWidget, usedToday: number) =>
    toWidget(widget, { usedToday, baseUrl: config.publicBaseUrl ?? baseUrl() })
  const show = async (widget: StoredWidget) =>
    present(widget, (await allowance.ofWidget({ one: db.readOne }, widget)).usedToday)

  /** @throws ApiError not_found */
  async function get(instance: Pick<InstanceSubject, 'id'>, id: string): Promise<StoredWidget> {
    const found = await db.readOne(widgetById, { id })
    if (found?.instanceId !== instance.id) throw new ApiError('not_found', 'There is no widget with this id.')
    return found
  }

  async function requireAgent({ accountId, id }: InstanceSubject, agentId: string | null | undefined): Promise<void> {
    if (agentId && (await agents.find(accountId, id, agentId)) === undefined)
      throw new ApiError('not_found', `agent_id names ${agentId}, which is not an agent of this instance.`).because(
        'chosen_gone',
        { field: 'agent_id' },
      )
  }

  return {
    get,
    show: async (instance: InstanceSubject, id: string) => show(await get(instance, id)),

    async create(
      instance: InstanceSubject,
      body: NewWidget,
      { rawBody, idempotencyKey: key }: { rawBody: unknown; idempotencyKey: string | null },
    ): Promise<{ bytes: Buffer; replayed: boolean }> {
      const { id: instanceId, accountId } = instance
      const held = key === null ? null : { key, fp: idempotency.fingerprint('POST voice widgets', instanceId, rawBody) }
      if (held !== null) {
        const earlier = await idempotency.peek(db, { scopeId: instanceId, ...held })
        if (earlier.kind === 'replay') return { bytes: earlier.body, replayed: true }
        if (earlier.kind === 'busy') throw stillBusy(earlier)
      }
      const origins = [...new Set(body.allowed_origins.map(readOrigin))]
      await requireAgent(instance, body.agent_id)
      const id = ids.uuid()
      return db.commit(async (tx) => {
        if (held !== null) {
          const claim = await idempotency.claim(tx, { scopeId: instanceId, ...held, subjectId: id, boot: db.boot })
          if (claim.kind === 'replay') return { bytes: claim.body, replayed: true }
          if (claim.kind === 'busy') throw stillBusy(claim)
        }
        if (((await tx.one(countWidgets, { instanceId }))?.count ?? 0) >= LIMITS.voiceWidgetsPerInstance) {
          throw new ApiError(
            'invalid_state',
            `This instance has ${LIMITS.voiceWidgetsPerInstance} widgets already. Delete one first.`,
          ).because('widgets_full', { n: LIMITS.voiceWidgetsPerInstance })
        }
        const now = clock.now()
        const widget: StoredWidget = {
          ...{ seq: await tx.next('voice_widgets'), id, accountId, instanceId, agentId: body.agent_id ?? null },
          ...{ name: body.name, allowedOrigins: JSON.stringify(origins), publicKey: ids.tagged('wid') },
          ...{ videoEnabled: body.video_enabled === true ? 1 : 0, createdAtMs: now, updatedAtMs: now },
          appearance: JSON.stringify(body.appearance ?? APPEARANCE),
          dailyCap: body.daily_cap ?? LIMITS.voiceWidgetDailyCap,
        }
        await tx.run(insertSetup, { instanceId, accountId, settings: '{}', now })
        await tx.run(insertWidget, widget)
        const bytes = Buffer.from(JSON.stringify(present(widget, 0)))
        if (held !== null) await idempotency.settle(tx, instanceId, held.key, 201, bytes, id)
        return { bytes, replayed: false }
      })
    },

    async list({ id: instanceId }: InstanceSubject, query: { limit?: number; cursor?: string }) {
      const { limit = LIMITS.pageSizeDefault, cursor } = query
      const list = `voice widgets:${instanceId}`
      const [before] = cursor === undefined ? [Number.MAX_SAFE_INTEGER] : cursors.decode(list, cursor)
      const rows = await db.read(widgetsOfInstance, { instanceId, beforeSeq: Number(before), rows: limit + 1 })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        data: await Promise.all(shown.map(show)),
        next_cursor: last === undefined ? null : cursors.encode(list, [last.seq]),
        has_more: last !== undefined,
      }
    },

    async update(instance: InstanceSubject, id: string, patch: WidgetPatch): Promise<VoiceWidget> {
      const found = await get(instance, id)
      const origins = patch.allowed_origins && [...new Set(patch.allowed_origins.map(readOrigin))]
      await requireAgent(instance, patch.agent_id)
      const changed: StoredWidget = {
        ...found,
        agentId: patch.agent_id === undefined ? found.agentId : patch.agent_id,
        name: patch.name ?? found.name,
        allowedOrigins: origins === undefined ? found.allowedOrigins : JSON.stringify(origins),
        videoEnabled: patch.video_enabled === undefined ? found.videoEnabled : patch.video_enabled ? 1 : 0,
        appearance: patch.appearance === undefined ? found.appearance : JSON.stringify(patch.appearance),
        dailyCap: patch.daily_cap ?? found.dailyCap,
        updatedAtMs: clock.now(),
      }
      const hasChanges = Object.keys(patch).length > 0
      if (hasChanges) await db.commit((tx) => tx.run(saveWidget, changed))
      return show(hasChanges ? changed : found)
    },

    /** A link that shows the widget on a page of this service. */
    async testPage(instance: InstanceSubject, id: string): Promise<{ path: string; url: string }> {
      const { publicKey, accountId } = await get(instance, id)
      const { expires, signature } = await links.to('widget-test', { id: publicKey, accountId })
      const path = `/widget/${publicKey}/test?test=${expires}.${signature}`
      return { path, url: baseUrl() + path }
    },

    async remove(instance: InstanceSubject, id: string): Promise<void> {
      await get(instance, id)
      await db.commit((tx) => tx.run(removeWidget, { id }))
      endCallsOf(id)
    },
  }
}
