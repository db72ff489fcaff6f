import type { Campaign, CampaignConfig } from '../../../main/contract/campaign.ts'
import { changedFields, isSame } from '../../app/changed-fields.ts'
import type { Body } from '../../app/operation-types.ts'
import { findMessageProblem, NEW_MESSAGE, toCampaignMessage, toMessageDraft } from './message-draft.ts'
import type { MessageDraft, MessageProblem } from './message-draft.ts'
import type { Template } from './template.ts'

export const BUILDER_STEPS = ['numbers', 'message', 'people', 'pace', 'review'] as const
export type BuilderStep = (typeof BUILDER_STEPS)[number]

/** What the builder edits. The people are stored only in the service. */
export interface BuilderDraft {
  readonly name: string
  readonly instanceIds: readonly string[]
  readonly messages: readonly MessageDraft[]
  /** Undefined until the service has created the draft and returned the defaults. */
  readonly config: CampaignConfig | undefined
  readonly scheduledAt: string | null
}

export const newDraft = (name: string): BuilderDraft => ({
  ...{ name, instanceIds: [], messages: [NEW_MESSAGE], config: undefined, scheduledAt: null },
})

export const draftOf = ({ name, instance_ids, messages, config, scheduled_at }: Campaign): BuilderDraft => ({
  ...{ name, instanceIds: instance_ids, config, scheduledAt: scheduled_at },
  messages: messages.length === 0 ? [NEW_MESSAGE] : messages.map(toMessageDraft),
})

/** In the form that the service stores; undefined fields are not ready. */
export type StoredDraft = Pick<Body<'updateCampaign'>, 'name' | 'instance_ids' | 'messages' | 'config' | 'scheduled_at'>

/** Values that the service would refuse; they are stored once they are complete. */
const UNSTORABLE = new Set<MessageProblem | undefined>(['unclosed', 'badUrl', 'interactive'])

/** Number of the first incomplete variation, from 1; 0: none. While there is one, no variation is stored. */
export const unfinishedAt = (messages: readonly MessageDraft[], templates: readonly Template[]): number =>
  1 + messages.findIndex((message) => UNSTORABLE.has(findMessageProblem(message, templates)))

/** Empty variations are left out. */
export function toStored(draft: BuilderDraft, templates: readonly Template[]): StoredDraft {
  const { name, instanceIds, messages, config, scheduledAt } = draft
  return {
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(instanceIds.length > 0 && { instance_ids: [...instanceIds] }),
    ...(unfinishedAt(messages, templates) === 0 && {
      messages: messages.flatMap((message) => toCampaignMessage(message, templates) ?? []),
    }),
    ...(config && { config }),
    scheduled_at: scheduledAt,
  }
}

/** The fields that differ from the stored ones; undefined if none does. */
export function changesOf(stored: StoredDraft, now: StoredDraft): StoredDraft | undefined {
  const { config, ...changed } = changedFields(stored, now)
  const changes = { ...changed, ...(config && { config: withoutSameBudget(stored.config, config) }) }
  return Object.keys(changes).length === 0 ? undefined : changes
}

/** A suspended account may change a draft's pace, and a body with the budget counts as a change of the budget. */
function withoutSameBudget(stored: StoredDraft['config'], now: NonNullable<StoredDraft['config']>) {
  const { budget, ...pace } = now
  return isSame(budget ?? null, stored?.budget ?? null) ? pace : now
}

/** Why a step is incomplete: locale keys under `campaigns.builder.missing`. */
export function missingIn(
  step: BuilderStep,
  draft: BuilderDraft,
  { total, templates }: { readonly total: number; readonly templates: readonly Template[] },
): readonly string[] {
  switch (step) {
    case 'numbers':
      return [...(draft.name.trim() === '' ? ['name'] : []), ...(draft.instanceIds.length === 0 ? ['numbers'] : [])]
    case 'message':
      return draft.messages.some((message) => findMessageProblem(message, templates) !== undefined) ? ['message'] : []
    case 'people':
      return total === 0 ? ['people'] : []
    case 'pace':
      return draft.config === undefined || isPaceValid(draft.config) ? [] : ['pace']
    case 'review':
      return []
  }
}

export const isPaceValid = ({ minDelay, maxDelay, pauseFor: [shortest = 0, longest = 0], window }: CampaignConfig) =>
  minDelay <= maxDelay &&
  shortest <= longest &&
  (window === null || (window.start !== window.end && window.days.length > 0))
