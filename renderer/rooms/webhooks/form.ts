import type { CreateBody, Webhook } from '../../../main/capabilities/webhooks/contract.ts'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { Choice } from './event-choice.ts'

/** What the person fills in, of a new webhook and of one that is changed. */
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

/** Only what is certain here; whether the address is public is for the service to say. */
export function formError({ url, events }: WebhookForm): 'url' | 'events' | undefined {
  if (!/^https:\/\/[^/\s]+/.test(url.trim())) return 'url'
  return events.length === 0 ? 'events' : undefined
}

/** A catcher of its own for each webhook, with a name that can be told from the others. */
export function catcherAddress(taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const url = `https://catcher.sandbox/${n === 1 ? 'first-try' : `try-${n}`}`
    if (!taken.includes(url)) return url
  }
}
