import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const RENDERER = resolve(import.meta.dirname, '../../renderer')

/** Ways to keep what is typed: by asking before it is lost, or by keeping it as a draft. */
const GUARDS = /\buseSavedForm\(|\buseUnsaved\(|\buseUnsavedDialog\(|<FormDialog\b|\bdrafts\b|\buseSchedule\(/

/** Forms in which nothing can be lost, and why. */
const NOTHING_TO_LOSE: Readonly<Record<string, string>> = {
  'parts/ConfirmDialog.vue': 'repeats a name that is shown',
  'parts/SignIn.vue': 'a password, on a page of its own',
  'rooms/ai/BehaviourTab.vue': 'AgentTabs keeps its form',
  'rooms/ai/TryTab.vue': 'AgentTabs keeps its question',
  'rooms/billing/SandboxTools.vue': 'choices only',
  'rooms/campaigns/TagImport.vue': 'a choice only',
  'rooms/crm/BackfillPart.vue': 'a choice only',
  'rooms/instances/FusionCard.vue': 'a choice only',
  'rooms/instances/HistoryCard.vue': 'a choice only',
  'rooms/instances/PairingCode.vue': 'one phone number, in a dialog that shows its code',
  'rooms/instances/PasskeyByHand.vue': 'a code that is pasted',
  'rooms/messages/MessageComposer.vue': 'its chat keeps the draft',
  'rooms/sandbox/CatchersPanel.vue': 'the name of a page to open',
  'rooms/sandbox/MessageBubble.vue': 'edits a message of the sandbox in place',
  'rooms/softphone/DialCard.vue': 'one phone number',
  'rooms/softphone/TransferForm.vue': 'the call keeps the number',
  'rooms/welcome/WorkspaceStep.vue': 'one name, in the first minute',
}

const forms = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.vue') && readFileSync(join(RENDERER, file), 'utf8').includes('<form'),
)

test.each(forms)('%s keeps what is typed or asks before it is lost', (file) => {
  const isGuarded = GUARDS.test(readFileSync(join(RENDERER, file), 'utf8'))
  expect(isGuarded, NOTHING_TO_LOSE[file]).toBe(!(file in NOTHING_TO_LOSE))
})

test('every exception is a form', () => {
  expect(Object.keys(NOTHING_TO_LOSE).filter((file) => !forms.includes(file))).toEqual([])
})
