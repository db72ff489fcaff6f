import type { Static } from 'typebox'
import { canAccessInstance } from '../../kernel/access.ts'
import type { Call, Handlers } from '../handler.ts'
import type { FusionSide, fusionContract, FusionView } from './contract.ts'
import type { Fusion, Pair } from './index.ts'

export function fusionHandlers(fusion: Fusion): Handlers<typeof fusionContract> {
  return {
    fuseInstances: async ({ principal, instance, body }) =>
      toView(
        await fusion.fuse({
          accountId: instance.accountId,
          officialId: instance.id,
          smv2Id: body.smv2_instance_id.toLowerCase(),
          mayReach: (id) => canAccessInstance(principal, id),
        }),
      ),
    getFusion: async (call) => toView(await fusion.read(pairCall(call))),
    removeFusion: async (call) => toView(await fusion.remove(pairCall(call))),
  }
}

function pairCall({ principal, instance }: Call<(typeof fusionContract)['getFusion' | 'removeFusion']>) {
  const { id, accountId } = instance
  return { id, accountId, mayReach: (other: string) => canAccessInstance(principal, other) }
}

function toView({ instance, fused, partner }: Pair): Static<typeof FusionView> {
  return { instance: toSide(instance), fused, partner: partner && toSide(partner) }
}

function toSide(side: Pair['instance']): Static<typeof FusionSide> {
  const { id, name, instanceName, engine, status, phoneNumber } = side
  const connected = status === 'connected'
  return { id, name, instance_name: instanceName, engine, connected, phone_number: phoneNumber }
}
