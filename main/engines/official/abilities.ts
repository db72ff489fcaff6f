import type { Abilities } from '../../contract/abilities.ts'

/** What the Cloud API can do through Switchboard. */
export const OFFICIAL: Abilities = {
  connect: { qr_code: 'no', pairing_code: 'no', passkey: 'no', onboarding_page: 'yes' },
  send: {
    ...{ text: 'yes', image: 'yes', video: 'yes', audio: 'yes', document: 'yes' },
    // Meta shows a preview of whatever address it finds itself; title and picture cannot be chosen.
    link_preview: 'raw',
    ...{ sticker: 'raw', location: 'raw', contact: 'raw', template: 'raw' },
    ...{ interactive: 'yes', reply: 'yes', forward: 'no', poll: 'no', group: 'yes' },
  },
  act: {
    ...{ react: 'raw', mark_read: 'yes', typing: 'yes', block: 'yes', groups: 'yes', join_requests: 'yes' },
    ...{
      edit: 'no',
      star_message: 'no',
      pin_message: 'no',
      disappearing_messages: 'no',
      privacy: 'no',
      delete: 'no',
      check_number: 'no',
      profile: 'no',
      change_profile: 'no',
      post_status: 'no',
      chat_list: 'no',
      labels: 'no',
      show_online: 'no',
      group_members: 'no',
      group_rules: 'no',
      join_rules: 'no',
      join_groups: 'no',
      communities: 'no',
      channels: 'no',
    },
  },
  hear: {
    ...{ text: 'yes', image: 'yes', video: 'yes', audio: 'yes', document: 'yes', sticker: 'yes' },
    ...{ location: 'yes', contact: 'yes', poll: 'no' },
    ...{ edit: 'yes', delete: 'yes', reaction: 'yes', group: 'yes', own_phone: 'yes' },
  },
}
