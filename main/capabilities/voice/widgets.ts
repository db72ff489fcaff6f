import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { NewWidget, VoiceWidget, WidgetAppearance, WidgetPatch } from '../../contract/voice.ts'
import type { Tx } from '../../kernel/db.ts'
import { createOnce, type Created } from '../../kernel/keyed-request.ts'
import { seqPage } from '../../kernel/list-page.ts'
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
  /** Ends the calls of a deleted widget. */
  readonly endCallsOf: (widgetId: string) => void
}

/** Call buttons for web pages. */
export function createWidgets(deps: WidgetsDeps) {
  const { db, clock, ids, cursors, agents, config, baseUrl, allowance, endCallsOf, links } = deps
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

  async function insert(
    tx: Tx,
    { id: instanceId, accountId }: InstanceSubject,
    id: string,
    body: NewWidget,
    origins: readonly string[],
  ): Promise<StoredWidget> {
    if (((await tx.one(countWidgets, { instanceId }))?.count ?? 0) >= LIMITS.voiceWidgetsPerInstance)
      throw new ApiError(
        'invalid_state',
        `This instance has ${LIMITS.voiceWidgetsPerInstance} widgets already. Delete one first.`,
      ).because('widgets_full', { n: LIMITS.voiceWidgetsPerInstance })
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
    return widget
  }

  return {
    get,
    show: async (instance: InstanceSubject, id: string) => show(await get(instance, id)),

    create(
      instance: InstanceSubject,
      body: NewWidget,
      { rawBody, idempotencyKey: key }: { rawBody: unknown; idempotencyKey: string | null },
    ): Promise<Created> {
      const { id: scopeId } = instance
      const request = { operation: 'POST voice widgets', scopeId, key, rawBody, subjectId: ids.uuid() }
      return createOnce(deps, request, async () => {
        const origins = [...new Set(body.allowed_origins.map(readOrigin))]
        await requireAgent(instance, body.agent_id)
        return async (tx) => present(await insert(tx, instance, request.subjectId, body, origins), 0)
      })
    },

    list: ({ id: instanceId }: InstanceSubject, query: { limit?: number; cursor?: string }) =>
      seqPage(
        cursors,
        `voice widgets:${instanceId}`,
        query,
        ({ before, rows }) => db.read(widgetsOfInstance, { instanceId, beforeSeq: before, rows }),
        show,
      ),

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

    /** A link to a page of this service that shows the widget. */
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
