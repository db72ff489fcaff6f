import { useLocalStorage } from '@vueuse/core'
import { defineStore } from 'pinia'
import { ref } from 'vue'
import type {
  CreateBody,
  Delivery,
  DeliveriesQuery,
  ReplayBody,
  UpdateBody,
  Webhook,
  WebhookWithSecret,
} from '../../../main/capabilities/webhooks/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { hasOutcome } from './status.ts'

/** How many deliveries are loaded to find the newest one with an outcome. */
const LATEST = 10

/** Removes the secret, so that it never gets into the store. Only two answers contain it. */
const withoutSecret = ({ secret: _, ...webhook }: WebhookWithSecret): Webhook => webhook

/** The account's webhooks (at most ten), and all requests that concern them. */
export const useWebhooks = defineStore('webhooks', () => {
  const webhooks = ref<Webhook[]>([])
  /** The newest delivery of each webhook; null if there is none. */
  const latest = ref<Readonly<Record<string, Delivery | null>>>({})
  /** The newest delivery of each webhook that was delivered or failed; null if there is none. */
  const lastOutcomes = ref<Readonly<Record<string, Delivery | null>>>({})
  /**
   * Until when the previous secret of a webhook is valid, in milliseconds. Contains only rotations made in this
   * window.
   */
  const overlaps = useLocalStorage<Readonly<Record<string, number>>>('switchboard.overlaps', {})
  const state = ref<'asking' | 'ready' | 'problem'>('asking')
  const problem = ref<Problem>()
  const live = useLive()

  live.onNotice('webhooks', () => void load())
  live.onReset(() => void load())
  live.onNotice('deliveries', ({ id }) => {
    const known = webhooks.value.filter((webhook) => id === undefined || webhook.id === id)
    for (const webhook of known.length > 0 ? known : webhooks.value) void loadLatest(webhook.id)
  })

  async function load(): Promise<void> {
    try {
      const { data } = await call('listWebhooks')
      webhooks.value = data
      problem.value = undefined
      state.value = 'ready'
      await Promise.all(data.map(({ id }) => loadLatest(id)))
    } catch (error) {
      problem.value = asProblem(error)
      if (state.value === 'asking') state.value = 'problem'
    }
  }

  /** Errors are ignored, because the list is useful without this information. */
  async function loadLatest(id: string): Promise<void> {
    try {
      const { data, has_more } = await listDeliveries({ webhook_id: id, limit: LATEST })
      const outcome = data.find(hasOutcome) ?? (has_more ? await findLastOutcome(id) : undefined)
      latest.value = { ...latest.value, [id]: data[0] ?? null }
      lastOutcomes.value = { ...lastOutcomes.value, [id]: outcome ?? null }
    } catch {}
  }

  /** For a webhook whose newest deliveries are all pending. */
  async function findLastOutcome(id: string): Promise<Delivery | undefined> {
    const ask = (status: Delivery['status']) => listDeliveries({ webhook_id: id, status, limit: LATEST })
    const pages = await Promise.all([ask('delivered'), ask('failed'), ask('exhausted')])
    return pages
      .flatMap(({ data }) => data.find(hasOutcome) ?? [])
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at))[0]
  }

  function keep(webhook: Webhook): void {
    const isKnown = webhooks.value.some(({ id }) => id === webhook.id)
    webhooks.value = isKnown
      ? webhooks.value.map((other) => (other.id === webhook.id ? webhook : other))
      : [webhook, ...webhooks.value]
  }

  async function create(body: CreateBody): Promise<WebhookWithSecret> {
    const made = await call('createWebhook', { body })
    keep(withoutSecret(made))
    latest.value = { ...latest.value, [made.id]: null }
    return made
  }

  async function update(id: string, body: UpdateBody): Promise<void> {
    keep(await call('updateWebhook', { params: { id }, body }))
  }

  async function remove(id: string): Promise<void> {
    await call('deleteWebhook', { params: { id } })
    webhooks.value = webhooks.value.filter((webhook) => webhook.id !== id)
  }

  async function rotate(id: string, overlapSeconds: number): Promise<WebhookWithSecret> {
    const rotated = await call('rotateWebhookSecret', {
      params: { id },
      body: { overlap_seconds: overlapSeconds },
    })
    keep(withoutSecret(rotated))
    overlaps.value = { ...overlaps.value, [id]: Date.now() + overlapSeconds * 1_000 }
    return rotated
  }

  const sendTest = (id: string) => call('testWebhook', { params: { id } })
  const replay = (id: string, body: ReplayBody) => call('replayWebhook', { params: { id }, body })
  const listDeliveries = (query: DeliveriesQuery) => call('listDeliveries', { query })
  const getDelivery = (id: string) => call('getDelivery', { params: { id } })
  const redeliver = (id: string) => call('retryDelivery', { params: { id } })

  return {
    ...{ webhooks, latest, lastOutcomes, overlaps, state, problem, load, create, update, remove, rotate },
    ...{ sendTest, replay, listDeliveries, getDelivery, redeliver },
  }
})
