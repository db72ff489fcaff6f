/** Messages count as stuck after this time without an answer from the network. No send takes longer. */
export const QUEUE_STUCK_SECONDS = 60

/**
 * Where the overview shows an issue: as its own entry, within the entry `<room>.<code>`, or not at all for this
 * reason.
 */
type Place = 'error' | 'warning' | { readonly line: string } | { readonly unlisted: string }

const PAIRING = { unlisted: 'Somebody is pairing it, or has not yet: the tiles and the page of the number say so.' }
/** A number that was connected before is counted among those signed out. */
const FAILED_PAIRING = { line: 'instances.signed_out' }

/** Every issue of a number, with its severity if the overview shows it as its own entry. */
export const HEALTH_ISSUES = {
  engine_unknown: 'error',
  engine_unreachable: 'error',
  not_paired: PAIRING,
  waiting_for_scan: PAIRING,
  recreating: PAIRING,
  connecting: { line: 'instances.lost' },
  passkey_required: { line: 'instances.passkey' },
  passkey_failed: FAILED_PAIRING,
  qr_expired: FAILED_PAIRING,
  pairing_interrupted: FAILED_PAIRING,
  link_lost: { line: 'instances.lost' },
  disconnected: { line: 'instances.lost' },
  client_outdated: 'error',
  version_unknown: 'warning',
  replaced: 'warning',
  disconnected_by_user: { unlisted: 'Somebody ended the connection.' },
  moved: { unlisted: 'Somebody exported the session to another Switchboard.' },
  logged_out: { line: 'instances.signed_out' },
  session_lost: 'error',
  bad_session: 'error',
  banned: { line: 'instances.banned' },
  temporary_ban: { line: 'instances.banned' },
  token_revoked: 'error',
  restricted: { line: 'safety.restricted' },
  new_chats_used_up: { line: 'safety.restricted' },
  restricted_replies: 'error',
  restricted_utility_templates: 'warning',
  restricted_utility_limit: 'warning',
  utility_templates_warning: 'warning',
  restricted_calls: 'warning',
  restricted_adding_numbers: 'warning',
  removed: 'error',
  removed_primary_inactivity: 'error',
  removed_companion_inactivity: 'error',
  removed_change_number: 'error',
  removed_business_downgrade: 'error',
  removed_user_re_registered: 'error',
  removed_account_disconnected: 'error',
  removed_account_offboarded: 'error',
  removed_partner_app_uninstalled: 'error',
  account_violation: 'warning',
  account_review_pending: 'warning',
  account_review_rejected: 'error',
  account_alert: 'warning',
  pin_changed: 'warning',
  pin_disabled: 'warning',
  limit_increase_blocked: 'warning',
  official_account_rejected: 'warning',
  profile_picture_lost: 'warning',
  display_name_rejected: 'warning',
  username_removed: 'warning',
  contact_book_kept: 'warning',
  group_suspended: 'warning',
  groups_suspended: 'warning',
  number_error: 'warning',
  quality_low: 'warning',
  quality_medium: 'warning',
  held_payment: 'error',
  held_spam: 'warning',
  held_policy: 'error',
  held_display_name: 'error',
  held_registration: 'error',
  held_pin: 'error',
  permission_missing: 'error',
  callbacks_missing: 'error',
  callbacks_unread: 'warning',
  fields_missing: 'warning',
  templates_nearly_full: 'warning',
  graph_version: { line: 'official-settings.version_ends' },
  link_doubtful: { unlisted: 'The service connects again within a minute; a connection that is lost has a line.' },
  proxy_failed: 'error',
  media_missing: 'warning',
  queue_stuck: { line: 'messages.queue_stuck' },
  webhooks_failing: { line: 'instance-webhook.failing' },
} as const satisfies Readonly<Record<string, Place>>

export type HealthIssueCode = keyof typeof HEALTH_ISSUES

/** Issues with their own entry in the overview. */
export type ListedIssueCode = {
  [Code in HealthIssueCode]: (typeof HEALTH_ISSUES)[Code] extends string ? Code : never
}[HealthIssueCode]

/** The overview entry `<room>.<code>` that includes the issue; null: it has its own entry, or none. */
export function lineOfIssue(code: HealthIssueCode): string | null {
  const place: Place = HEALTH_ISSUES[code]
  return typeof place === 'object' && 'line' in place ? place.line : null
}
