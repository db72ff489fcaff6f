import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { EFFECTS, effectsOf, type Effect } from '../../../main/contract/effects.ts'

/** What a suspended account, or one that owes money, may not do is not offered to it: its buttons say why. */
const ROOMS = resolve(import.meta.dirname, '../../../renderer')
const sources = new Map(
  readdirSync(ROOMS, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:vue|ts)$/.test(file))
    .map((file) => [file, readFileSync(join(ROOMS, file), 'utf8')]),
)
const isClosed = (effect: Effect) => EFFECTS[effect].closedWhenSuspended || EFFECTS[effect].closedWhenFrozen
const closed = new Map(
  CONTRACTS.flatMap(({ operations }) => Object.values(operations))
    .map((operation) => [operation.id, effectsOf(operation).filter(isClosed)] as const)
    .filter(([id, effects]) => effects.length > 0 && [...sources.values()].some((text) => text.includes(`'${id}'`))),
)

/** Components below `renderer/` whose buttons lead to the call. */
const OFFERS: Readonly<Record<string, readonly string[]>> = {
  activateSubAccount: ['rooms/agency/ClientActions.vue'],
  answerVoiceCall: ['rooms/softphone/IncomingBar.vue'],
  backfillCrmWebhook: ['rooms/crm/BackfillPart.vue'],
  backfillGhl: ['rooms/crm/BackfillPart.vue'],
  callEngine: [
    ...['CommunityItem', 'JoinGroupDialog', 'PostDialog', 'LinkGroupDialog', 'GroupRules'].map(
      (name) => `rooms/groups/${name}.vue`,
    ),
    'rooms/messages/ChatMenu.vue',
  ],
  callFromConsole: [
    ...['softphone/DialCard', 'softphone/EndedCard', 'calls/CallsScreen', 'calls/NoCalls', 'calls/CallActions'],
    'messages/ChatPane',
  ].map((name) => `rooms/${name}.vue`),
  checkVoiceSetup: ['rooms/voice/CheckCard.vue'],
  connectGhl: ['rooms/crm/GhlConnect.vue'],
  createAccessLink: ['rooms/links/NewLinkDialog.vue'],
  createCampaign: ['rooms/campaigns/CampaignsScreen.vue', 'rooms/campaigns/BuilderScreen.vue'],
  createGroupChat: ['rooms/groups/NewGroupDialog.vue'],
  createInstance: ['rooms/instances/NewInstanceDialog.vue'],
  createMemberLink: ['rooms/members/MemberTable.vue'],
  deleteGroupChat: ['rooms/groups/GroupPage.vue'],
  getInstanceQr: ['rooms/instances/PairingCode.vue'],
  holdVoiceCall: ['rooms/softphone/CallControls.vue', 'rooms/calls/LiveCallControls.vue'],
  inviteMember: ['rooms/members/InviteDialog.vue', 'rooms/members/TeamScreen.vue'],
  listProviderModels: ['rooms/ai/ModelField.vue'],
  openVoiceWidgetTest: ['rooms/voice/WidgetEmbed.vue'],
  removeMessageBudget: ['parts/BudgetDialog.vue', 'rooms/billing/MessageBudgets.vue'],
  replayWebhook: ['rooms/webhooks/ReplayWindow.vue'],
  resumeCampaign: ['rooms/campaigns/CampaignActions.vue'],
  resumeVoiceCall: ['rooms/softphone/CallControls.vue', 'rooms/calls/LiveCallControls.vue'],
  retryDelivery: ['rooms/webhooks/RedeliverBar.vue', 'rooms/webhooks/DeliverySlide.vue'],
  scheduleVoiceCall: ['ScheduleScreen', 'CallsScreen', 'NoCalls', 'PlannedTab'].map(
    (name) => `rooms/calls/${name}.vue`,
  ),
  scheduleVoiceCallBatch: ['rooms/calls/ScheduleScreen.vue'],
  sendMessage: [
    ...['MessageComposer', 'MessageDialog', 'OutgoingBubble'].map((name) => `rooms/messages/${name}.vue`),
    'rooms/instances/FirstMessage.vue',
  ],
  sendVoiceCallDigits: ['rooms/softphone/KeyPad.vue'],
  setMessageBudget: ['parts/BudgetDialog.vue', 'rooms/billing/MessageBudgets.vue'],
  startCampaign: ['rooms/campaigns/ReviewStep.vue', 'rooms/campaigns/StartDialog.vue'],
  startEvaluationRun: ['rooms/ai/EvaluateTab.vue'],
  suggestReply: ['rooms/ai/ChatStrip.vue'],
  testAgent: ['rooms/ai/TryTab.vue'],
  testCampaign: ['rooms/campaigns/TestDialog.vue'],
  testWebhook: ['rooms/webhooks/WebhookActions.vue'],
  transferVoiceCall: ['rooms/softphone/TransferForm.vue', 'rooms/calls/LiveCallControls.vue'],
  updateCampaign: ['parts/BudgetDialog', 'rooms/campaigns/PaceBudget', 'rooms/campaigns/BudgetCard'].map(
    (name) => `${name}.vue`,
  ),
  updateGroupChat: [
    ...['GroupDialog', 'AddMembersDialog', 'GroupMembers', 'GroupRequests', 'GroupRules', 'GroupInvite'].map(
      (name) => `rooms/groups/${name}.vue`,
    ),
    'rooms/messages/JoinRequestStrip.vue',
  ],
}
test('every operation closed to a held account has its buttons in this list', () => {
  expect([...closed.keys()].toSorted()).toEqual(Object.keys(OFFERS).toSorted())
})

test.each(Object.entries(OFFERS))('hides %s while the account may not do it', (id, files) => {
  const names = (closed.get(id) ?? []).flatMap((effect) => [`effect="${effect}"`, `held('${effect}')`, `'${effect}'`])
  for (const file of files) {
    const text = sources.get(file) ?? ''
    expect(text, file).toMatch(/HeldButton|HeldReason|useHeld|FormDialog|ConfirmDialog/)
    expect(
      names.some((name) => text.includes(name)),
      file,
    ).toBe(true)
  }
})
