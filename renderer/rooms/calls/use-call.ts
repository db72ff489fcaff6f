import { computed, ref, shallowRef, watch } from 'vue'
import type { CallReview, VoiceCall } from '../../../main/contract/voice.ts'
import { call as request } from '../../app/api.ts'
import type { Item } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { personNumber } from './call-state.ts'
import { onCallsChanged } from './use-call-list.ts'

/** One call with its transcript, reloaded whenever calls change. */
export function useCall(place: () => { readonly instance: string; readonly call: string }) {
  const call = shallowRef<VoiceCall>()
  const review = shallowRef<CallReview>()
  const agents = shallowRef<readonly Item<'listAgents'>[]>([])
  const contact = shallowRef<Item<'listContacts'>>()
  const problem = ref<Problem>()
  const agent = computed(() => agents.value.find(({ id }) => id === call.value?.agent_id))
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    const { instance: id, call: call_id } = place()
    try {
      const [found, said] = await Promise.all([
        request('getVoiceCall', { params: { id, call_id } }),
        request('getVoiceCallReview', { params: { id, call_id } }),
      ])
      if (mine !== turn) return
      call.value = found
      review.value = said
      problem.value = undefined
    } catch (error) {
      if (mine === turn) problem.value = asProblem(error)
    }
  }

  /** Names are optional: the page works without them. */
  async function loadNames(): Promise<void> {
    const mine = turn
    const number = call.value && personNumber(call.value)
    const { instance: id } = place()
    const [found, people] = await Promise.allSettled([
      request('listAgents', { params: { id }, query: { limit: 200 } }),
      number ? request('listContacts', { query: { q: number, limit: 1 } }) : undefined,
    ])
    if (mine !== turn) return
    if (found.status === 'fulfilled') agents.value = found.value.data
    if (people.status === 'fulfilled') contact.value = people.value?.data.find(({ phone }) => phone === number)
  }

  onCallsChanged(() => void load())
  watch(
    () => JSON.stringify(place()),
    async () => {
      call.value = undefined
      review.value = undefined
      contact.value = undefined
      problem.value = undefined
      await load()
      await loadNames()
    },
    { immediate: true },
  )
  return { call, review, agent, contact, problem, load }
}
