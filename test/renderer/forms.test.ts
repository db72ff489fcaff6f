import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse, type SFCDescriptor } from 'vue/compiler-sfc'

const RENDERER = resolve(import.meta.dirname, '../../renderer')

/** Ways to keep what is typed: by asking before it is lost, or by keeping it as a draft. */
const GUARDS =
  /\b(useSavedForm|useUnsaved|useUnsavedDialog|useDraft|useTransferNumber|useSchedule|useBuilder)\(|: (Behaviour|Trial)( \}>.*)?$|<(?:Form|Message)Dialog\b|\.drafts\b/m
/** Where somebody types. */
const FIELDS = new Set([
  ...['UInput', 'UTextarea', 'UInputNumber', 'UInputTags', 'UPinInput', 'UInputMenu', 'UFileUpload'],
  ...['input', 'textarea'],
])
const NO_TEXT = new Set(['checkbox', 'radio', 'range', 'hidden'])

/** Fields in which nothing can be lost, and why. */
const NOTHING_TO_LOSE: Readonly<Record<string, string>> = {
  'parts/ConfirmDialog.vue': 'repeats a name that is shown',
  'parts/FileDrop.vue': 'a file, which stays where it is',
  'parts/InstanceSelect.vue': 'finds an item of a list',
  'parts/SignIn.vue': 'a password, on a page of its own',
  'rooms/contacts/KeywordTable.vue': 'finds an item of a list',
  'rooms/instances/FusionCard.vue': 'finds an item of a list',
  'rooms/instances/PasskeyByHand.vue': 'a secret that is pasted, and must not stay',
  'rooms/sandbox/FaultsPanel.vue': 'a count beside the button that uses it',
}

interface Node {
  readonly type: number
  readonly tag?: string
  readonly props?: readonly { readonly name: string; readonly value?: { readonly content: string } }[]
  readonly children?: readonly Node[]
}

const parts = new Map<string, SFCDescriptor>(
  readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.vue'))
    .map((file) => [file, parse(readFileSync(join(RENDERER, file), 'utf8')).descriptor]),
)

const attributeOf = (node: Node, name: string) => node.props?.find((prop) => prop.name === name)?.value?.content

function countFields(node: Node): number {
  const type = attributeOf(node, 'type')
  if (attributeOf(node, 'role') === 'search' || type === 'search') return 0
  const isField = FIELDS.has(node.tag ?? '') && !NO_TEXT.has(type ?? '')
  return (node.children ?? []).reduce((sum, child) => sum + countFields(child), isField ? 1 : 0)
}

const used = new Map(
  [...parts].map(([file, { source }]) => [file, new Set([...source.matchAll(/<([A-Z]\w+)/g)].map(([, tag]) => tag))]),
)
const usersOf = (file: string) => [...parts.keys()].filter((other) => used.get(other)?.has(basename(file, '.vue')))

/** Itself, or else everything that shows it. */
function isGuarded(file: string, asked: ReadonlySet<string> = new Set()): boolean {
  if (asked.has(file)) return false
  if (GUARDS.test(parts.get(file)?.source ?? '')) return true
  const users = usersOf(file)
  return users.length > 0 && users.every((user) => isGuarded(user, new Set([...asked, file])))
}

const typed = [...parts]
  .filter(([, { template }]) => template?.ast !== undefined && countFields(template.ast as unknown as Node) > 0)
  .map(([file]) => file)

test.each(typed)('%s keeps its text or asks before losing it', (file) => {
  expect(isGuarded(file), NOTHING_TO_LOSE[file]).toBe(!(file in NOTHING_TO_LOSE))
})

test('finds every field of the window, and every exception is needed', () => {
  expect(typed.length).toBeGreaterThan(90)
  expect(Object.keys(NOTHING_TO_LOSE).filter((file) => !typed.includes(file))).toEqual([])
})

test('every dialog with a form uses the form pattern', () => {
  const others = [...parts]
    .filter(([, { source }]) => source.includes('<FormDialog') && !source.includes('useDialogForm('))
    .map(([file]) => file)
  // What is typed in it is kept as a draft of the chat.
  expect(others).toEqual(['rooms/messages/MessageDialog.vue'])
})
