import type { Engine, Network } from './shapes.ts'

/** Everything an engine can offer, most asked-for first. */
export const ABILITIES = {
  connect: ['qr_code', 'pairing_code', 'passkey', 'onboarding_page'],
  send: [
    'text',
    'link_preview',
    'image',
    'video',
    'audio',
    'document',
    'sticker',
    'location',
    'contact',
    'poll',
    'interactive',
    'template',
    'reply',
    'forward',
    'group',
  ],
  act: [
    'react',
    'edit',
    'delete',
    'mark_read',
    'star_message',
    'pin_message',
    'disappearing_messages',
    'typing',
    'show_online',
    'check_number',
    'profile',
    'change_profile',
    'post_status',
    'privacy',
    'block',
    'groups',
    'group_members',
    'group_rules',
    'join_requests',
    'join_rules',
    'join_groups',
    'communities',
    'channels',
    'chat_list',
    'labels',
  ],
  hear: [
    'text',
    'image',
    'video',
    'audio',
    'document',
    'sticker',
    'location',
    'contact',
    'poll',
    'edit',
    'delete',
    'reaction',
    'group',
    'own_phone',
  ],
} as const

export type AbilityGroup = keyof typeof ABILITIES

/** `raw`: only with a raw Cloud API payload. */
export const LEVELS = ['yes', 'raw', 'no'] as const
export type Level = (typeof LEVELS)[number]

export type Abilities = {
  readonly [G in AbilityGroup]: Readonly<Record<(typeof ABILITIES)[G][number], Level>>
}

/** What an engine can do on a network. */
export interface EngineAbilities {
  readonly engine: Engine
  readonly network: Network
  readonly abilities: Abilities
}
