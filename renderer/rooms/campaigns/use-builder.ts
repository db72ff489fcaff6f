import { computed, nextTick, onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Campaign } from '../../../main/contract/campaign.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useUnsaved } from '../../app/unsaved.ts'
import { changesOf, draftOf, newDraft, toStored, unfinishedAt } from './builder-draft.ts'
import type { BuilderDraft, StoredDraft } from './builder-draft.ts'
import type { Template } from './template.ts'

/** Delay after the last change. */
const SAVE_MS = 700

interface BuilderOptions {
  /** Undefined for a campaign that is not stored yet. */
  readonly id: () => string | undefined
  readonly newName: () => string
  readonly templates: () => readonly Template[]
  /** Called when the service has created the draft. */
  readonly onCreated: (id: string) => unknown
  /** Called for a campaign that can no longer be edited. */
  readonly onClosed: (id: string) => unknown
}

/** A draft that is edited here and saved to the service shortly after every change. */
export function useBuilder({ id, newName, templates, onCreated, onClosed }: BuilderOptions) {
  const draft = shallowRef<BuilderDraft>(newDraft(newName()))
  const campaign = shallowRef<Campaign>()
  const problem = ref<Problem>()
  const saveProblem = ref<Problem>()
  const isSaving = ref(false)
  /** Nothing is loading: it is new, or loaded. */
  const isReady = ref(false)
  /** There are changes that are not saved yet. */
  const isTouched = ref(false)
  /** Somebody started it, so it can no longer be edited. */
  const isClosed = ref(false)
  /** The URL changes, and the form stays. */
  let isMoving = false
  let stored: StoredDraft = {}
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<boolean> | undefined
  /** A retry after a lost answer does not make a second draft. */
  let key = crypto.randomUUID()

  async function load(): Promise<void> {
    const wanted = id()
    isClosed.value = false
    if (wanted === undefined) return begin()
    if (wanted === campaign.value?.campaign_id) return void (isReady.value = true)
    isReady.value = false
    problem.value = undefined
    try {
      const found = await call('getCampaign', { params: { id: wanted } })
      if (wanted !== id()) return
      if (found.status !== 'draft') return void onClosed(wanted)
      accept(found)
      draft.value = draftOf(found)
      stored = toStored(draft.value, templates())
      isTouched.value = false
      isReady.value = true
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** Starts a new one, also while another is on screen. */
  function begin(): void {
    clearTimeout(timer)
    draft.value = newDraft(newName())
    campaign.value = undefined
    stored = {}
    isTouched.value = false
    key = crypto.randomUUID()
    problem.value = undefined
    saveProblem.value = undefined
    isReady.value = true
  }

  const accept = (found: Campaign) => {
    campaign.value = found
    // The defaults are known once the service has created the draft.
    if (draft.value.config !== undefined) return
    draft.value = { ...draft.value, config: found.config }
    const { config } = toStored(draft.value, templates())
    stored = { ...stored, ...(config !== undefined && { config }) }
  }

  function change(to: Partial<BuilderDraft>): void {
    draft.value = { ...draft.value, ...to }
    isTouched.value = true
    clearTimeout(timer)
    if (campaign.value !== undefined) timer = setTimeout(() => void save(), SAVE_MS)
  }

  const pending = () => changesOf(stored, toStored(draft.value, templates()))
  const unfinished = computed(() => unfinishedAt(draft.value.messages, templates()))
  const isSaved = computed(
    () => !isSaving.value && campaign.value !== undefined && unfinished.value === 0 && pending() === undefined,
  )

  /** @returns whether everything is saved. */
  async function save(): Promise<boolean> {
    clearTimeout(timer)
    if (saving !== undefined) return saving.then(() => save())
    saving = write().finally(() => (saving = undefined))
    return saving
  }

  async function write(): Promise<boolean> {
    const changes = pending()
    // An incomplete message is not saved, so leaving must still ask.
    isTouched.value = unfinished.value > 0
    if (changes === undefined && campaign.value !== undefined) return true
    isSaving.value = true
    try {
      const now = toStored(draft.value, templates())
      if (campaign.value === undefined) await create(now)
      else accept(await call('updateCampaign', { params: { id: campaign.value.campaign_id }, body: changes ?? {} }))
      stored = { ...stored, ...now }
      saveProblem.value = undefined
      return true
    } catch (error) {
      saveProblem.value = asProblem(error)
      isTouched.value = true
      return false
    } finally {
      isSaving.value = false
    }
  }

  async function create({ name = '', instance_ids = [], messages = [] }: StoredDraft): Promise<void> {
    const body = { name, instance_ids, ...(messages.length > 0 && { messages }) }
    const { campaign_id } = await call('createCampaign', { body, idempotencyKey: key })
    accept(await call('getCampaign', { params: { id: campaign_id } }))
    isMoving = true
    try {
      await onCreated(campaign_id)
    } finally {
      isMoving = false
    }
  }

  /** Reads the service's counts of people and variables. */
  async function refresh(): Promise<void> {
    if (campaign.value === undefined) return
    accept(await call('getCampaign', { params: { id: campaign.value.campaign_id } }))
  }

  // Without numbers there is no draft yet, and an incomplete message is not saved.
  useUnsaved({
    isDirty: () => isReady.value && isTouched.value && !isMoving,
    isAcrossTabs: true,
    discard: () => (isTouched.value = false),
  })

  watch(id, () => void load(), { immediate: true })
  const live = useLive()
  watch(
    () => live.isOpen,
    (isOpen) => void (isOpen && catchUp()),
  )

  /** The service is reachable again: unsaved changes are saved, and a start with a lost answer is noticed. */
  async function catchUp(): Promise<void> {
    const known = campaign.value?.campaign_id
    const found = known && (await call('getCampaign', { params: { id: known } }).catch(() => undefined))
    if (found && found.status !== 'draft' && known === id()) {
      isTouched.value = false
      isClosed.value = true
      // An open dialog closes first, because it would ask whether to leave.
      await nextTick()
      return void onClosed(known)
    }
    if (saveProblem.value?.status === 0) await save()
  }
  onScopeDispose(() => clearTimeout(timer))

  const states = { draft, campaign, problem, saveProblem, unfinished, isSaving, isSaved, isReady, isClosed }
  return { ...states, load, change, save, refresh }
}

export type Builder = ReturnType<typeof useBuilder>
