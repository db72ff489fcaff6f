import type { Abilities } from '../../contract/abilities.ts'

/** What a linked device can do through Switchboard. */
export const SMV2: Abilities = {
  connect: { qr_code: 'yes', pairing_code: 'yes', passkey: 'yes', onboarding_page: 'no' },
  send: {
    ...{ text: 'yes', link_preview: 'yes', image: 'yes', video: 'yes', audio: 'yes', document: 'yes' },
    ...{ sticker: 'yes', location: 'yes', contact: 'yes', poll: 'yes', reply: 'yes', forward: 'yes' },
    group: 'yes',
    ...{ interactive: 'no', template: 'no' },
  },
  act: {
    ...{ react: 'yes', edit: 'yes', delete: 'yes', mark_read: 'yes', typing: 'yes', show_online: 'yes' },
    ...{ check_number: 'yes', profile: 'yes', change_profile: 'yes', post_status: 'yes', block: 'yes', groups: 'yes' },
    ...{ chat_list: 'yes', labels: 'yes', star_message: 'yes', pin_message: 'yes', privacy: 'yes' },
    ...{
      disappearing_messages: 'yes',
      join_requests: 'yes',
      join_rules: 'yes',
      group_members: 'yes',
      group_rules: 'yes',
      join_groups: 'yes',
      communities: 'yes',
      channels: 'yes',
    },
  },
  hear: {
    ...{ text: 'yes', image: 'yes', video: 'yes', audio: 'yes', document: 'yes', sticker: 'yes' },
    ...{ location: 'yes', contact: 'yes', poll: 'yes' },
    ...{ edit: 'yes', delete: 'yes', reaction: 'yes', group: 'yes', own_phone: 'yes' },
  },
}
