import type { Abilities } from '../../contract/abilities.ts'
import type { Engine } from '../../contract/shapes.ts'
import { OFFICIAL } from '../official/abilities.ts'

/** What the two faces of the simulated network can do. */
export const SANDBOX: Readonly<Record<Engine, Abilities>> = {
  smv2: {
    connect: { qr_code: 'yes', pairing_code: 'yes', onboarding_page: 'no' },
    send: {
      ...{ text: 'yes', link_preview: 'yes', image: 'yes', video: 'yes', audio: 'yes', document: 'yes' },
      ...{ sticker: 'yes', location: 'yes', contact: 'yes', poll: 'yes', reply: 'yes' },
      template: 'no',
    },
    act: {
      ...{ react: 'yes', edit: 'yes', delete: 'yes', mark_read: 'yes' },
      ...{ check_number: 'yes', profile: 'yes', block: 'yes', groups: 'yes' },
    },
    hear: {
      ...{ text: 'yes', image: 'yes', video: 'yes', audio: 'yes', document: 'yes', sticker: 'yes' },
      ...{ location: 'yes', contact: 'yes', poll: 'yes' },
      ...{ edit: 'yes', delete: 'yes', reaction: 'yes', group: 'yes', own_phone: 'yes' },
    },
  },
  // Phones of the sandbox have groups, whichever engine listens.
  official: { ...OFFICIAL, hear: { ...OFFICIAL.hear, group: 'yes' } },
}
