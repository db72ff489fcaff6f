import type { Abilities } from '../../contract/abilities.ts'
import type { Engine } from '../../contract/shapes.ts'
import { OFFICIAL } from '../official/abilities.ts'
import { SMV2 } from '../smv2/abilities.ts'

/** What the two faces of the simulated network can do. */
export const SANDBOX: Readonly<Record<Engine, Abilities>> = {
  // Phones of the sandbox show no profiles or statuses, and have no list of chats to arrange.
  smv2: {
    ...SMV2,
    act: {
      ...SMV2.act,
      ...{ change_profile: 'no', post_status: 'no', privacy: 'no', disappearing_messages: 'no', join_requests: 'no' },
      ...{ chat_list: 'no', star_message: 'no', labels: 'no' },
    },
  },
  // Phones of the sandbox have groups, whichever engine listens.
  official: { ...OFFICIAL, hear: { ...OFFICIAL.hear, group: 'yes' } },
}
