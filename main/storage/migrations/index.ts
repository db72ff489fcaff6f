import type { Migration } from '../migrate.ts'
import { ledger } from './001-ledger.ts'
import { accounts } from './002-accounts.ts'
import { instances } from './003-instances.ts'
import { messages } from './004-messages.ts'
import { webhooks } from './005-webhooks.ts'
import { sandbox } from './006-sandbox.ts'
import { fusion } from './007-fusion.ts'
import { instanceWebhooks } from './008-instance-webhooks.ts'
import { sandboxDirect } from './009-sandbox-direct.ts'
import { approvals } from './010-approvals.ts'
import { consoleSessions } from './011-console.ts'
import { official } from './012-official.ts'
import { sandboxGraph } from './013-sandbox-graph.ts'
import { smv2 } from './014-smv2.ts'
import { jobs } from './015-jobs.ts'
import { activity } from './016-activity.ts'
import { consoleRoles } from './017-console-roles.ts'
import { files } from './018-files.ts'
import { smv2Files } from './019-smv2-files.ts'
import { messageContent } from './020-message-content.ts'
import { unread } from './021-unread.ts'
import { contacts } from './022-contacts.ts'
import { safety } from './023-safety.ts'
import { campaigns } from './024-campaigns.ts'
import { lines } from './025-lines.ts'
import { ai } from './026-ai.ts'
import { aiKnowledge } from './027-ai-knowledge.ts'
import { usage } from './028-usage.ts'
import { agency } from './029-agency.ts'
import { billing } from './030-billing.ts'
import { crm } from './031-crm.ts'
import { voice } from './032-voice.ts'
import { voiceSandbox } from './033-voice-sandbox.ts'
import { voiceRecordingsOfAccount } from './034-voice-recordings-of-account.ts'
import { serviceAddresses } from './035-service-addresses.ts'
import { sharedPasswords } from './036-shared-passwords.ts'
import { creators } from './037-creators.ts'
import { voiceCounting } from './038-voice-counting.ts'
import { campaignsRestored } from './039-campaigns-restored.ts'
import { ordersUndecided } from './040-orders-undecided.ts'
import { jobAppointments } from './041-job-appointments.ts'
import { creatorsOfSecrets } from './042-creators-of-secrets.ts'
import { sandboxWindow } from './043-sandbox-window.ts'
import { sandboxCalls } from './044-sandbox-calls.ts'
import { auditNames } from './045-audit-names.ts'
import { documentReaders } from './046-document-readers.ts'
import { personKeys } from './047-person-keys.ts'
import { fileSizes } from './048-file-sizes.ts'
import { personNames } from './049-person-names.ts'
import { inboundMessages } from './050-inbound-messages.ts'
import { aiRests } from './051-ai-rests.ts'
import { crmRetries } from './052-crm-retries.ts'
import { approvalParts } from './053-approval-parts.ts'
import { campaignHolds } from './054-campaign-holds.ts'
import { moreActions } from './055-more-actions.ts'
import { approvalBasis } from './056-approval-basis.ts'
import { sessionLinks } from './057-session-links.ts'
import { consent } from './058-consent.ts'
import { sandboxPortfolios } from './059-sandbox-portfolios.ts'
import { messagingLimits } from './060-messaging-limits.ts'
import { sandboxGraphPrices } from './061-sandbox-graph-prices.ts'
import { messagePrices } from './062-message-prices.ts'
import { messageRates } from './063-message-rates.ts'
import { templates } from './064-templates.ts'
import { messageBudgets } from './065-message-budgets.ts'
import { callControls } from './066-call-controls.ts'
import { templateCallbacks } from './067-template-callbacks.ts'
import { personChats } from './068-person-chats.ts'
import { sandboxProfilesAndNumberChecks } from './069-sandbox-profiles-and-number-checks.ts'
import { aiLinkedNumbers } from './070-ai-linked-numbers.ts'
import { graphVersionsAndUsernames } from './071-graph-versions-and-usernames.ts'
import { templateCategoryChanges } from './072-template-category-changes.ts'
import { sandboxCommunitiesAndChannels } from './073-sandbox-communities-and-channels.ts'
import { sandboxConversationalComponents } from './074-sandbox-conversational-components.ts'
import { forwardedMessagesAndUserIds } from './075-forwarded-messages-and-user-ids.ts'
import { templateRestrictions } from './076-template-restrictions.ts'
import { pageTokens } from './077-page-tokens.ts'
import { templateStates } from './078-template-states.ts'
import { templateWordsAndAgentRules } from './079-template-words-and-agent-rules.ts'
import { sendOrigins } from './080-send-origins.ts'

/** Every step of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [
  ledger,
  accounts,
  instances,
  messages,
  webhooks,
  sandbox,
  fusion,
  instanceWebhooks,
  sandboxDirect,
  approvals,
  consoleSessions,
  official,
  sandboxGraph,
  smv2,
  jobs,
  activity,
  consoleRoles,
  files,
  smv2Files,
  messageContent,
  unread,
  contacts,
  safety,
  campaigns,
  lines,
  ai,
  aiKnowledge,
  usage,
  agency,
  billing,
  crm,
  voice,
  voiceSandbox,
  voiceRecordingsOfAccount,
  serviceAddresses,
  sharedPasswords,
  creators,
  voiceCounting,
  campaignsRestored,
  ordersUndecided,
  jobAppointments,
  creatorsOfSecrets,
  sandboxWindow,
  sandboxCalls,
  auditNames,
  documentReaders,
  personKeys,
  fileSizes,
  personNames,
  inboundMessages,
  aiRests,
  crmRetries,
  approvalParts,
  campaignHolds,
  moreActions,
  approvalBasis,
  sessionLinks,
  consent,
  sandboxPortfolios,
  messagingLimits,
  sandboxGraphPrices,
  messagePrices,
  messageRates,
  templates,
  messageBudgets,
  callControls,
  templateCallbacks,
  personChats,
  sandboxProfilesAndNumberChecks,
  aiLinkedNumbers,
  graphVersionsAndUsernames,
  templateCategoryChanges,
  sandboxCommunitiesAndChannels,
  sandboxConversationalComponents,
  forwardedMessagesAndUserIds,
  templateRestrictions,
  pageTokens,
  templateStates,
  templateWordsAndAgentRules,
  sendOrigins,
]
