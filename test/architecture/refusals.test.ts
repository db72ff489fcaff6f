import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ERROR_REASONS } from '../../main/contract/error-reasons.ts'

/** Their code alone says too little for a person to act on. */
const BROAD = ['validation_error', 'invalid_state', 'invalid_url']

/**
 * Refusals that the window never meets, or says in words of its own: those of other callers, of pages with their own
 * words, and of fields that the window fills in itself.
 */
const WITHOUT_A_REASON = new Map([
  ['capabilities/approvals/request.ts', 'assistants, when they ask for an approval'],
  ['capabilities/billing/catalogue.ts', 'the window sends a plan or a product of the list'],
  ['capabilities/billing/sandbox.ts', 'simulated payments, which only the API makes; the card has words by operation'],
  ['capabilities/campaigns/messages.ts', 'shapes of messages that the builder cannot make'],
  ['capabilities/campaigns/test-send.ts', 'as above'],
  ['capabilities/crm/ghl/callbacks.ts', 'HighLevel calls'],
  ['capabilities/crm/ghl/connect.ts', 'a token with the mode that has none'],
  ['capabilities/crm/webhook/inbound.ts', 'a CRM calls'],
  ['capabilities/direct/account-acts.ts', 'actions of the engine, which the window does not offer'],
  ['capabilities/direct/channel-acts.ts', 'as above'],
  ['capabilities/direct/chat-acts.ts', 'as above'],
  ['capabilities/direct/fields.ts', 'as above'],
  ['capabilities/direct/group-acts.ts', 'as above'],
  ['capabilities/direct/index.ts', 'as above'],
  ['capabilities/direct/raw.ts', 'as above'],
  ['capabilities/direct/sends.ts', 'as above'],
  ['capabilities/instances/list.ts', 'the window asks for pages of an allowed size'],
  ['capabilities/instances/recreate.ts', 'the window recreates one number at a time'],
  ['capabilities/links/index.ts', 'the window sends no lifetime for a permanent link'],
  ['capabilities/messages/draft.ts', 'shapes of messages that the composer cannot make'],
  ['capabilities/sandbox/graph-controls.ts', 'the Graph simulator, which only the API controls'],
  ['capabilities/sandbox/model-controls.ts', 'the simulated model, which only the API controls'],
  ['capabilities/sandbox/utterance.ts', 'shapes of messages that the sandbox phones cannot make'],
  ['capabilities/voice/offer.ts', 'the browser makes the offer'],
  ['capabilities/webhooks/webhook-operations.ts', 'the window sends all events or a list'],
  ['engines/official/callbacks.ts', 'Meta calls'],
  ['engines/sandbox/chat-lists.ts', 'actions of the engine, which the window does not offer'],
  ['engines/sandbox/network.ts', 'faults are offered where they are possible'],
  ['engines/sandbox/phone-messages.ts', 'the sandbox phones offer what is possible'],
  ['engines/sandbox/taps.ts', 'as above'],
  ['engines/smv2/chat-list.ts', 'actions of the engine, which the window does not offer'],
  ['engines/smv2/channels.ts', 'a code of WhatsApp; the window has words by operation'],
  ['engines/smv2/communities.ts', 'as above'],
  ['engines/smv2/direct.ts', 'as above'],
  ['engines/smv2/groups.ts', 'as above'],
  ['engines/smv2/own-profile.ts', 'as above'],
  ['engines/smv2/presence.ts', 'as above'],
  ['faces/arrival.ts', 'a request that no browser makes'],
  ['faces/failure.ts', 'as above'],
  ['faces/idempotency-header.ts', 'as above'],
  ['faces/json-body.ts', 'as above'],
  ['faces/link-page/routes.ts', 'the page has its own words'],
  ['faces/mcp/approval-result.ts', 'assistants'],
  ['faces/mcp/input.ts', 'assistants'],
  ['faces/mcp/tool-calls.ts', 'assistants'],
  ['faces/operation-route.ts', 'the window sends a body'],
  ['faces/panel/session-route.ts', 'the window signs in with what the form has'],
  ['faces/passkey-page/routes.ts', 'the page has its own words'],
  ['faces/voice/widget-routes.ts', 'the widget calls'],
  ['kernel/idempotency.ts', 'a body that no browser sends'],
  ['service/live-settings.ts', 'settings that the window does not offer'],
])

const MAIN = new URL('../../main/', import.meta.url)

interface Site {
  readonly file: string
  readonly line: number
  readonly hasReason: boolean
}

/** Where a broad error is made, and whether `because` follows: there, or where its helper is called. */
function sitesIn(file: string): Site[] {
  const text = readFileSync(new URL(file, MAIN), 'utf8')
  if (!text.includes('new ApiError(')) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const helpers = new Set<string>()
  const found: Site[] = []
  const add = (node: ts.Node) =>
    found.push({
      file,
      line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
      hasReason: isExplained(node),
    })
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && isBroad(node)) {
      const helper = helperOf(node)
      if (helper === undefined) add(node)
      else helpers.add(helper)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  const visitCalls = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && helpers.has(node.expression.getText())) add(node)
    ts.forEachChild(node, visitCalls)
  }
  visitCalls(source)
  return found
}

const isBroad = ({ expression, arguments: given }: ts.NewExpression): boolean =>
  expression.getText() === 'ApiError' && BROAD.some((code) => given?.[0]?.getText().includes(`'${code}'`))

/** `const wrong = (message) => new ApiError(…)`: its callers say why. */
function helperOf(node: ts.NewExpression): string | undefined {
  const { parent } = node
  if (!ts.isArrowFunction(parent) || parent.parameters.length === 0) return undefined
  return ts.isVariableDeclaration(parent.parent) ? parent.parent.name.getText() : undefined
}

function isExplained({ parent }: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.name.getText() === 'because'
  // `const refusal = new ApiError(…)`, which is explained below.
  return ts.isVariableDeclaration(parent) && /\.(because\(|detail = )/.test(parent.parent.parent.parent.getText())
}

const files = readdirSync(MAIN, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const sites = files.flatMap(sitesIn)

test('every refusal with a general code gives the console a reason', () => {
  expect(sites.length).toBeGreaterThan(150)
  const bare = sites.filter(({ file, hasReason }) => !hasReason && !WITHOUT_A_REASON.has(file))
  expect(bare.map(({ file, line }) => `${file}:${line}`)).toEqual([])
})

test('the list of files without reasons names only files that need it', () => {
  const bare = new Set(sites.filter(({ hasReason }) => !hasReason).map(({ file }) => file))
  expect([...WITHOUT_A_REASON.keys()].filter((file) => !bare.has(file))).toEqual([])
})

test('every reason is used', () => {
  const all = files.map((file) => readFileSync(new URL(file, MAIN), 'utf8')).join('\n')
  // `because(`backup_${state}`)`: the compiler knows which reasons these are.
  const beginnings = [...all.matchAll(/because\(\s*`(\w+_)\$/g)].map(([, beginning = '']) => beginning)
  const isGiven = (reason: string) =>
    all.includes(`'${reason}'`) || beginnings.some((beginning) => reason.startsWith(beginning))
  expect(Object.keys(ERROR_REASONS).filter((reason) => !isGiven(reason))).toEqual([])
})
