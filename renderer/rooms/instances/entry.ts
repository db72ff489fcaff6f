import { HEALTH_ISSUES } from '../../../main/contract/health-issue-codes.ts'
import type { AttentionDisplay, RoomEntries } from '../../app/entries.ts'

const toNumbers = {
  to: (id: string | null) => (id === null ? '/instances' : `/instances/${id}`),
  list: '/instances',
}

/** The tab of a number where an issue can be fixed. */
const TABS: Readonly<Record<string, string>> = {
  username_removed: 'settings',
  proxy_failed: 'settings',
  group_suspended: 'groups',
  groups_suspended: 'groups',
}
const ICONS: Readonly<Record<string, string>> = {
  held_payment: 'i-lucide-credit-card',
  pin_changed: 'i-lucide-key-round',
  pin_disabled: 'i-lucide-key-round',
  held_pin: 'i-lucide-key-round',
  token_revoked: 'i-lucide-key-round',
  permission_missing: 'i-lucide-key-round',
  engine_unreachable: 'i-lucide-unplug',
  engine_unknown: 'i-lucide-unplug',
}

const issue = (code: string): AttentionDisplay => ({
  ...{ words: `instances.issue.${code}`, isIssue: true, icon: ICONS[code] ?? 'i-lucide-triangle-alert' },
  ...toNumbers,
  to: (id) => (id === null ? '/instances' : `/instances/${id}${code in TABS ? `?tab=${TABS[code]}` : ''}`),
})

/** Issues that have their own entry. */
const ISSUES = Object.entries(HEALTH_ISSUES)
  .filter(([, place]) => typeof place === 'string')
  .map(([code]) => [`instances.${code}`, issue(code)] as const)

export default {
  entries: [
    {
      ...{ words: 'instances.title', group: 'numbers', order: 1, path: '/instances' },
      ...{ icon: 'i-lucide-smartphone', key: 'i' },
    },
    { words: 'instances.wall.title', group: 'numbers', order: 2, path: '/instances/wall', icon: 'i-lucide-qr-code' },
  ],
  actions: [{ words: 'instances.new.open', icon: 'i-lucide-plus', to: '/instances?new=1' }],
  ids: [
    {
      pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ...{ words: 'instances.one', icon: 'i-lucide-smartphone' },
      to: (id) => `/instances/${id}`,
    },
  ],
  attention: {
    ...Object.fromEntries(ISSUES),
    'messages.queue_stuck': issue('queue_stuck'),
    'instance-webhook.failing': issue('webhooks_failing'),
    'instances.banned': { words: 'instances.attention.banned', ...toNumbers, icon: 'i-lucide-ban' },
    'instances.signed_out': { words: 'instances.attention.signed_out', ...toNumbers, icon: 'i-lucide-log-out' },
    'instances.lost': { words: 'instances.attention.lost', ...toNumbers, icon: 'i-lucide-unplug' },
    'safety.restricted': {
      ...{ words: 'instances.attention.restricted', ...toNumbers, icon: 'i-lucide-shield-alert' },
      help: 'instances.attention.restricted.help',
    },
    'official-settings.version_ends': {
      ...{ words: 'instances.attention.version_ends', ...toNumbers, icon: 'i-lucide-calendar-clock' },
      help: 'instances.issue.graph_version.text',
    },
    'official-settings.version_ended': {
      ...{ words: 'instances.attention.version_ended', ...toNumbers, icon: 'i-lucide-calendar-clock' },
      help: 'instances.issue.graph_version.text',
    },
    'templates.category_changes': {
      ...{ words: 'templates.attention.category_changes', icon: 'i-lucide-tag' },
      to: (id) => (id === null ? '/instances' : `/instances/${id}?tab=templates`),
    },
    ...Object.fromEntries(
      ['rejected', 'paused', 'disabled'].map((state) => [
        `templates.${state}`,
        {
          ...{ words: `templates.attention.${state}`, icon: 'i-lucide-layout-template' },
          to: (id: string | null) => (id === null ? '/instances' : `/instances/${id}?tab=templates`),
        },
      ]),
    ),
    'instances.passkey': { words: 'instances.attention.passkey', ...toNumbers, icon: 'i-lucide-fingerprint' },
  },
} satisfies RoomEntries
