import { accountRoom } from './account/room.ts'
import { agencyRoom } from './agency/room.ts'
import { aiRoom } from './ai/room.ts'
import { aiEvaluationsRoom } from './ai-evaluations/room.ts'
import { aiKnowledgeRoom } from './ai-knowledge/room.ts'
import { aiProvidersRoom } from './ai-providers/room.ts'
import { approvalsRoom } from './approvals/room.ts'
import { auditRoom } from './audit/room.ts'
import { billingRoom } from './billing/room.ts'
import { blocksRoom } from './blocks/room.ts'
import { callsRoom } from './calls/room.ts'
import { campaignsRoom } from './campaigns/room.ts'
import { contactsRoom } from './contacts/room.ts'
import { costsRoom } from './costs/room.ts'
import { crmRoom } from './crm/room.ts'
import { directRoom } from './direct/room.ts'
import { entitlementsRoom } from './entitlements/room.ts'
import { eventsRoom } from './events/room.ts'
import { fusionRoom } from './fusion/room.ts'
import { groupsRoom } from './groups/room.ts'
import { historyRoom } from './history/room.ts'
import { instanceWebhookRoom } from './instance-webhook/room.ts'
import { instancesRoom } from './instances/room.ts'
import { lineSettingsRoom } from './line-settings/room.ts'
import { linksRoom } from './links/room.ts'
import { membersRoom } from './members/room.ts'
import { messagesRoom } from './messages/room.ts'
import { numberChecksRoom } from './number-checks/room.ts'
import { officialSettingsRoom } from './official-settings/room.ts'
import { optOutsRoom } from './opt-outs/room.ts'
import { overviewRoom } from './overview/room.ts'
import { safetyRoom } from './safety/room.ts'
import { sandboxRoom } from './sandbox/room.ts'
import { serviceRoom } from './service/room.ts'
import { templatesRoom } from './templates/room.ts'
import { usageRoom } from './usage/room.ts'
import { voiceRoom } from './voice/room.ts'
import { webhooksRoom } from './webhooks/room.ts'

/** All rooms of the service. Each room is built and started after the rooms that it uses. */
export const ROOMS = [
  accountRoom,
  entitlementsRoom,
  usageRoom,
  approvalsRoom,
  webhooksRoom,
  eventsRoom,
  instancesRoom,
  fusionRoom,
  safetyRoom,
  agencyRoom,
  costsRoom,
  optOutsRoom,
  contactsRoom,
  messagesRoom,
  instanceWebhookRoom,
  callsRoom,
  campaignsRoom,
  directRoom,
  blocksRoom,
  groupsRoom,
  templatesRoom,
  historyRoom,
  numberChecksRoom,
  lineSettingsRoom,
  officialSettingsRoom,
  aiProvidersRoom,
  aiKnowledgeRoom,
  aiRoom,
  aiEvaluationsRoom,
  crmRoom,
  linksRoom,
  membersRoom,
  auditRoom,
  billingRoom,
  voiceRoom,
  sandboxRoom,
  serviceRoom,
  overviewRoom,
] as const
