/**
 * Fields of the webhook "WhatsApp Business Account" that a number depends on. They are selected in Meta's App
 * Dashboard for the whole app. Meta sends nothing for a field that is not selected, and does not report it.
 */
const NEEDED = [
  ...['messages', 'user_preferences', 'account_update', 'account_alerts', 'security'],
  ...['message_template_status_update', 'message_template_quality_update', 'message_template_components_update'],
  ...['template_category_update', 'business_capability_update', 'phone_number_quality_update'],
] as const

/** Needed by numbers that are also used in the WhatsApp Business app. */
const NEEDED_BESIDE_APP = ['smb_message_echoes', 'smb_app_state_sync', 'history'] as const

export const missingFields = (subscribed: readonly string[], isCoexistence: boolean): readonly string[] =>
  [...NEEDED, ...(isCoexistence ? NEEDED_BESIDE_APP : [])].filter((field) => !subscribed.includes(field))
