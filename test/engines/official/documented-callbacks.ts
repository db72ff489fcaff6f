import type { GraphChange } from '../../../main/engines/sandbox/graph/callback-bodies.ts'
import { ANA, OURS, PHONE_NUMBER_ID, textFrom } from './cloud-world.ts'

/**
 * Every field of the WhatsApp Business Account webhook, and every kind within it, that Meta documents: "Webhooks
 * overview" of 2026-04-29 and the pages of each field, and the fields that the App Dashboard offers besides.
 */
export interface Documented {
  readonly name: string
  readonly change: GraphChange
}

const AT = '1767614400'
const metadata = (id: string) => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: OURS, phone_number_id: id },
})

const TEMPLATE = {
  ...{ message_template_id: 1_689_556_908_129_832, message_template_name: 'order_update' },
  message_template_language: 'en',
}
const named = { name: 'Ben' }
const MESSAGES: Readonly<Record<string, object>> = {
  text: { text: { body: 'Hello' } },
  image: { image: { id: '1', mime_type: 'image/jpeg' } },
  video: { video: { id: '1', mime_type: 'video/mp4' } },
  audio: { audio: { id: '1', mime_type: 'audio/ogg; codecs=opus', voice: true } },
  document: { document: { id: '1', mime_type: 'application/pdf', filename: 'a.pdf' } },
  sticker: { sticker: { id: '1', mime_type: 'image/webp', animated: false } },
  location: { location: { latitude: 1, longitude: 2 } },
  contacts: { contacts: [{ name: { formatted_name: named.name }, phones: [{ phone: '+1 202 555 0102' }] }] },
  button: { button: { text: 'Yes', payload: 'YES' } },
  order: {
    order: {
      catalog_id: '1',
      product_items: [{ product_retailer_id: 'tea', quantity: 2, item_price: 1, currency: 'USD' }],
    },
  },
  reaction: { reaction: { message_id: 'wamid.0', emoji: '👍' } },
  edit: { edit: { original_message_id: 'wamid.0', message: { type: 'text', text: { body: 'New' } } } },
  revoke: { revoke: { original_message_id: 'wamid.0' } },
  unsupported: { errors: [{ code: 131_051, title: 'Unsupported' }], unsupported: { type: 'poll_creation' } },
  request_welcome: {},
}
const REPLIES: Readonly<Record<string, object>> = {
  button_reply: { id: 'a', title: 'Yes' },
  list_reply: { id: 'a', title: 'Yes', description: 'Of course' },
  nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"t"}' },
  call_permission_reply: { response: 'accept', is_permanent: false, expiration_timestamp: 1_768_219_200 },
}
const SYSTEM: Readonly<Record<string, object>> = {
  user_changed_number: { body: 'User changed', wa_id: '12025550199' },
  customer_changed_number: { body: 'User changed', new_wa_id: '12025550199', customer: ANA },
  user_changed_user_id: { body: 'User changed', user_id: 'US.2', previous_user_id: 'US.1' },
  customer_identity_changed: { body: 'Identity changed', customer: ANA },
  user_identity_changed: { body: 'Identity changed' },
}
const STATUSES = ['sent', 'delivered', 'read', 'played', 'failed', 'deleted', 'warning']
const ACCOUNT_UPDATES: Readonly<Record<string, object>> = {
  ACCOUNT_DELETED: {},
  ACCOUNT_OFFBOARDED: {},
  ACCOUNT_RECONNECTED: {},
  ACCOUNT_RESTRICTION: { restriction_info: [{ restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION' }] },
  ACCOUNT_UPDATE: {},
  ACCOUNT_VIOLATION: { violation_info: { violation_type: 'ADULT' } },
  AD_ACCOUNT_LINKED: {},
  AUTH_INTL_PRICE_ELIGIBILITY_UPDATE: { auth_international_rate_eligibility: {} },
  BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE: { country: 'BR' },
  DISABLED_UPDATE: { ban_info: { waba_ban_state: 'REINSTATE' } },
  PARTNER_ADDED: { waba_info: {} },
  PARTNER_APP_INSTALLED: { waba_info: {} },
  PARTNER_APP_UNINSTALLED: { waba_info: {} },
  PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE: {},
  PARTNER_REMOVED: { disconnection_info: { reason: 'CHANGE_NUMBER' } },
  VERIFIED_ACCOUNT: {},
  VOLUME_BASED_PRICING_TIER_UPDATE: { volume_tier_info: {} },
}
const STATUS_EVENTS = [
  ...['APPROVED', 'REJECTED', 'PENDING', 'PAUSED', 'DISABLED', 'FLAGGED', 'REINSTATED', 'LOCKED', 'ARCHIVED'],
  ...['UNARCHIVED', 'DELETED', 'PENDING_DELETION', 'IN_APPEAL', 'LIMIT_EXCEEDED'],
]
const CHANGES: Readonly<Record<string, object>> = {
  account_alerts: {
    alert_info: { alert_severity: 'CRITICAL', alert_status: 'ACTIVE', alert_type: 'PROFILE_PICTURE_LOST' },
  },
  account_review_update: { decision: 'REJECTED' },
  account_settings_update: {},
  automatic_events: {},
  business_capability_update: { max_daily_conversations_per_business: 2_000, max_phone_numbers_per_business: 2 },
  business_username_update: { display_phone_number: OURS, username: 'garden', status: 'approved' },
  flows: { event: 'FLOW_STATUS_CHANGE' },
  group_lifecycle_update: {
    groups: [{ timestamp: AT, group_id: 'Y2Fw', type: 'group_create', request_id: '1', subject: 'Garden' }],
  },
  group_participants_update: {
    groups: [
      ...[{ timestamp: AT, group_id: 'Y2Fw', type: 'group_participants_add', added_participants: [{ wa_id: ANA }] }],
      ...[{ timestamp: AT, group_id: 'Y2Fw', type: 'group_join_request_created', join_request_id: '2', wa_id: ANA }],
    ],
  },
  group_settings_update: {
    groups: [
      {
        ...{ timestamp: AT, group_id: 'Y2Fw', type: 'group_settings_update', request_id: '3' },
        group_subject: { text: 'Allotment', update_successful: true },
      },
    ],
  },
  group_status_update: { groups: [{ timestamp: AT, group_id: 'Y2Fw', type: 'group_suspend' }] },
  history: {
    history: [
      {
        metadata: { phase: 0, chunk_order: 1, progress: 55 },
        threads: [
          {
            id: ANA,
            messages: [
              { ...textFrom(OURS, 'wamid.past1'), history_context: { status: 'READ' } },
              { from: OURS, id: 'wamid.past2', timestamp: AT, type: 'media_placeholder' },
              { ...textFrom(ANA, 'wamid.past3'), history_context: { status: 'READ' } },
            ],
          },
        ],
      },
    ],
  },
  message_echoes: { message_echoes: [] },
  message_template_components_update: { ...TEMPLATE, message_template_element: 'Hello' },
  message_template_quality_update: { ...TEMPLATE, previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' },
  partner_solutions: {},
  payment_configuration_update: {},
  phone_number_name_update: { display_phone_number: OURS, decision: 'REJECTED', rejection_reason: 'NAME_EMPLOYEE' },
  phone_number_quality_update: { display_phone_number: OURS, event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_2K' },
  security: { display_phone_number: OURS, event: 'PIN_CHANGED', requester: '61555822107539' },
  smb_app_state_sync: {
    state_sync: ['add', 'remove'].map((action) => ({
      ...{ type: 'contact', action, metadata: { timestamp: AT } },
      contact: { phone_number: ANA, ...(action === 'add' && { full_name: 'Ana Gómez', first_name: 'Ana' }) },
    })),
  },
  template_category_update: { ...TEMPLATE, previous_category: 'UTILITY', new_category: 'MARKETING' },
  tracking_events: {},
}

/** @param phoneNumberId of the number that it is about. */
export function documented(phoneNumberId = PHONE_NUMBER_ID): readonly Documented[] {
  const of = (field: string, name: string, value: object): Documented => ({
    name: `${field} ${name}`.trim(),
    change: { field, value: { ...metadata(phoneNumberId), ...value } },
  })
  const message = (name: string, more: object) =>
    of('messages', name, { messages: [{ ...textFrom(ANA, `wamid.${name}`), text: undefined, ...more }] })
  const entries = Object.entries
  return [
    ...entries(MESSAGES).map(([type, more]) => message(type, { type, ...more })),
    ...entries(REPLIES).map(([type, reply]) =>
      message(type, { type: 'interactive', interactive: { type, [type]: reply } }),
    ),
    ...entries(SYSTEM).map(([type, system]) => message(type, { type: 'system', system: { type, ...system } })),
    ...STATUSES.map((status) => {
      const errors = status === 'failed' ? [{ code: 131_026, title: 'Undeliverable' }] : undefined
      return of('messages', `status ${status}`, {
        statuses: [{ id: `wamid.${status}`, status, timestamp: AT, recipient_id: ANA, errors }],
      })
    }),
    of('messages', 'errors', { errors: [{ code: 131_000, title: 'Something went wrong' }] }),
    of('history', 'declined', { history: [{ errors: [{ code: 2_593_109, title: 'History sync is turned off' }] }] }),
    of('history', 'file', {
      messages: [{ from: ANA, id: 'wamid.past2', timestamp: AT, type: 'image', image: { id: '7' } }],
    }),
    of('smb_message_echoes', '', {
      message_echoes: [{ from: OURS, to: ANA, id: 'wamid.e', timestamp: AT, type: 'text', text: { body: 'Hi' } }],
    }),
    of('calls', '', { calls: [{ id: 'wacid.1', event: 'terminate', status: 'FAILED', timestamp: AT }] }),
    of('user_preferences', '', {
      user_preferences: [{ wa_id: ANA, category: 'marketing_messages', value: 'stop', timestamp: AT }],
    }),
    of('standby', 'message', {
      standby: { contacts: [{ wa_id: ANA, profile: { name: 'Ana' } }], messages: [textFrom(ANA, 'wamid.s')] },
    }),
    of('standby', 'echo', {
      message_echoes: [
        { from: OURS, to: ANA, id: 'wamid.m', timestamp: AT, type: 'text', text: { body: 'Until six.' } },
      ],
    }),
    of('standby', 'status', { statuses: [{ id: 'wamid.m', status: 'read', timestamp: AT, recipient_id: ANA }] }),
    ...['meta_business_agent', 'other_app'].map((role) => ({
      name: `messaging_handovers ${role}`,
      change: {
        field: 'messaging_handovers',
        value: {
          ...{ type: 'control_passed', sender: { phone_number: ANA } },
          ...{ recipient: { phone_number_id: phoneNumberId, display_phone_number: OURS } },
          control_passed: { previous_owner_app_role: role },
        },
      },
    })),
    ...STATUS_EVENTS.map((event) => ({
      name: `message_template_status_update ${event}`,
      change: { field: 'message_template_status_update', value: { ...TEMPLATE, event, reason: 'NONE' } },
    })),
    ...entries(ACCOUNT_UPDATES).map(([event, more]) => ({
      name: `account_update ${event}`,
      change: { field: 'account_update', value: { event, ...more } },
    })),
    ...entries(CHANGES).map(([field, value]) => ({ name: field, change: { field, value } })),
  ]
}
