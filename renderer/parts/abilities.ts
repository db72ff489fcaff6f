import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { ABILITIES } from '../../main/contract/abilities.ts'
import type { InstanceRecord } from '../../main/contract/instance.ts'
import { call } from '../app/api.ts'
import type { Reply } from '../app/operation-types.ts'

type Act = (typeof ABILITIES)['act'][number]

/** The abilities of a number's engine. Empty until the service has reported them. */
export const useAbilities = defineStore('abilities', () => {
  const all = shallowRef<Reply<'listEngines'>['data']>([])
  let isAsked = false

  async function load(): Promise<void> {
    if (isAsked) return
    isAsked = true
    try {
      all.value = (await call('listEngines')).data
    } catch {
      isAsked = false
    }
  }

  const can = ({ engine, network }: Pick<InstanceRecord, 'engine' | 'network'>, act: Act): boolean =>
    all.value.find((each) => each.engine === engine && each.network === network)?.abilities.act[act] === 'yes'

  return { load, can }
})
