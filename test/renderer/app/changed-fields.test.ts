import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { changedFields } from '../../../renderer/app/changed-fields.ts'

test('sends only changed fields, including emptied ones', () => {
  const before = { name: 'Front desk', agent_id: 'deleted', hours: { days: [1, 2] }, note: 'x' }
  expect(changedFields(before, { ...before, hours: { days: [1, 2] } })).toEqual({})
  expect(changedFields<object>(before, { ...before, hours: { days: [1] }, note: null })).toEqual({
    ...{ hours: { days: [1] }, note: null },
  })
  expect(changedFields<object>({ name: 'A' }, { name: 'A', secret: 'typed' })).toEqual({ secret: 'typed' })
})

const RENDERER = resolve(import.meta.dirname, '../../../renderer')
const sources = new Map(
  readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:vue|ts)$/.test(file))
    .map((file) => [file, readFileSync(join(RENDERER, file), 'utf8')]),
)
const called = CONTRACTS.flatMap(({ operations }) => Object.values(operations))
  .filter(({ id, method }) => method === 'PATCH' && [...sources.values()].some((text) => text.includes(`call('${id}'`)))
  .map(({ id }) => id)

/** Forms with several fields that change something with PATCH, below `renderer/rooms/`. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  updateAgent: ['ai/use-behaviour.ts', 'ai/BudgetCard.vue'],
  updateAiSettings: ['ai/RulesCard.vue'],
  updateBranding: ['agency/BrandEditor.vue'],
  updateCallSettings: ['instances/CallsCard.vue'],
  updateCampaign: ['campaigns/builder-draft.ts'],
  updateContact: ['contacts/ContactDialog.vue'],
  updateEvaluation: ['ai/EvaluationDialog.vue'],
  updateFaq: ['ai/FaqDialog.vue'],
  updateFollowUp: ['ai/FollowUpCard.vue'],
  updateHttpTool: ['ai/HttpToolDialog.vue'],
  updateInstance: ['instances/EditDialog.vue'],
  updateSandboxPhone: ['sandbox/PhoneSettings.vue'],
  updateStage: ['ai/StageDialog.vue'],
  updateSubAccount: ['agency/ClientSettings.vue'],
  updateTemplate: ['templates/TemplateDialog.vue'],
  updateVoiceSettings: ['voice/SettingsForm.vue'],
  updateVoiceWidget: ['voice/WidgetPage.vue'],
  updateWebhook: ['webhooks/EditWebhook.vue'],
}
/** The window sends one field at a time; `toPatch` of line.ts compares by itself. */
const ONE_FIELD = [
  ...[
    'updateAccount',
    'updateAccountAiSettings',
    'updateAgencyBilling',
    'updateBillingProvider',
    'updateCrmWebhook',
    'updateGhl',
  ],
  ...['updateGroupChat', 'updateHistoryImport', 'updateLineSettings', 'updateNumberCheck', 'updateOfficialSettings'],
  ...['updateOptOutSettings', 'updateSettings', 'updateSubscription'],
]

test('every PATCH operation is in this list', () => {
  expect(called.toSorted()).toEqual([...Object.keys(FORMS), ...ONE_FIELD].toSorted())
})

test.each(Object.entries(FORMS))('the forms of %s send only changed fields', (_, files) => {
  for (const file of files) expect(sources.get(join('rooms', file)), file).toContain('changedFields(')
})
