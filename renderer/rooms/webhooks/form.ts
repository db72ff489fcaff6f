import type { CreateBody, Webhook } from '../../../main/capabilities/webhooks/contract.ts'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { Choice } from './event-choice.ts'

/** The form fields of a new or existing webhook. */
export interface WebhookForm {
  url: string
  description: string
  events: Choice
  maxInFlight: number
}

export const emptyForm = (): WebhookForm => ({
  url: '',
  description: '',
  events: ['*'],
  maxInFlight: LIMITS.maxInFlightDefault,
})

export const formOf = ({ url, description, events, max_in_flight }: Webhook): WebhookForm => ({
  url,
  description: description ?? '',
  events,
  maxInFlight: max_in_flight,
})

export const bodyOf = ({
  url,
  description,
  events,
  maxInFlight,
}: WebhookForm): Required<Omit<CreateBody, 'active'>> => ({
  url: url.trim(),
  description: description.trim() || null,
  events: [...events],
  max_in_flight: maxInFlight,
})

/** Checks only what the window can decide; the service checks whether the address is public. */
export function formError({ url, events }: WebhookForm): 'url' | 'events' | undefined {
  if (!/^https:\/\/[^/\s]+/.test(url.trim())) return 'url'
  return events.length === 0 ? 'events' : undefined
}

/** An unused catcher name, so that each webhook has its own catcher. */
export function catcherAddress(taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const url = `https://catcher.sandbox/${n === 1 ? 'first-try' : `try-${n}`}`
    if (!taken.includes(url)) return url
  }
}
