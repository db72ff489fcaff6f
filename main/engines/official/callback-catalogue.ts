/**
 * Webhook fields and kinds that Meta documents and Switchboard ignores, each with the reason. A test compares Meta's
 * documentation with this list and the parser. Anything in neither is counted by callback-notes.ts.
 */

/** Fields that are counted and otherwise ignored. */
const NOTED_FIELDS = {
  account_settings_update: 'The settings it names are read from Meta every half hour.',
  automatic_events: 'Purchases and leads that Meta detects after ads are shown in Meta Ads Manager.',
  flows: 'The state of a flow is shown in WhatsApp Manager. A send with a blocked flow is refused with its own error.',
  message_echoes: 'Messages of other apps on the number are reported as smb_message_echoes or standby.',
  partner_solutions: 'Concerns solution partners of Meta.',
  payment_configuration_update: 'Payments in chats are not supported.',
  tracking_events: 'Clicks and conversions after ads are shown in Meta Ads Manager.',
} as const satisfies Readonly<Record<string, string>>

/** Ignored kinds within fields that are read, as `field.list.kind`. */
const NOTED_KINDS = {
  'messages.messages.request_welcome': 'Somebody opened the chat and has not written yet, so there is nothing to show.',
  'messages.statuses.deleted': 'The message was deleted for the recipient; its status stays.',
  'messages.statuses.warning': 'Catalog items were left out of the message; it is delivered.',
  'messages.system.user_identity_changed': 'The security code of the person changed; messages go on.',
  'messages.system.customer_identity_changed': 'The security code of the person changed; messages go on.',
  'history.declined': 'The business does not share the chats of its Business app.',
  'history.errors': 'The chats of the Business app could not be handed out.',
  'history.reaction': 'Reactions to messages from before the connection are not shown.',
  'history.edit': 'A message from before the connection has its last text.',
  'history.revoke': 'A message that was deleted before the connection is not handed out.',
  'smb_app_state_sync.remove': 'Somebody who was removed from the address book of the phone stays a contact.',
  'smb_app_state_sync.unnamed': 'An entry of the address book without a number or a name says nothing.',
  'standby.statuses': 'Meta Business Agent is told what became of its own messages.',
  'messaging_handovers.control_passed': 'Another app has passed control of a chat to another one.',
  'messaging_handovers.control_taken': 'Another app has taken control of a chat from another one.',
  'account_update.ACCOUNT_UPDATE': 'What it names is read from Meta every half hour.',
  'account_update.AD_ACCOUNT_LINKED': 'Ads are managed in Meta Ads Manager.',
  'account_update.AUTH_INTL_PRICE_ELIGIBILITY_UPDATE': 'The price of a message is read from its statuses.',
  'account_update.BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE': 'The price of a message is read from its statuses.',
  'account_update.PARTNER_ADDED': 'Concerns solution partners of Meta.',
  'account_update.PARTNER_APP_INSTALLED':
    'The app has been connected; the number is checked when it is connected here.',
  'account_update.PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE': 'Concerns solution partners of Meta.',
  'account_update.VERIFIED_ACCOUNT': 'The messaging limit that follows is reported by itself.',
  'account_update.VOLUME_BASED_PRICING_TIER_UPDATE': 'The price of a message is read from its statuses.',
} as const satisfies Readonly<Record<string, string>>

const NOTED: Readonly<Record<string, string>> = { ...NOTED_FIELDS, ...NOTED_KINDS }

/** Why Switchboard ignores it. @returns undefined for what Meta does not document. */
export const reasonToNote = (name: string): string | undefined => (Object.hasOwn(NOTED, name) ? NOTED[name] : undefined)
