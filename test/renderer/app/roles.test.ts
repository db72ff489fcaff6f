import { resolve } from 'node:path'
import type { RouteRecordRaw } from 'vue-router'
import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { FEATURES, type Feature } from '../../../main/contract/features.ts'
import type { Operation } from '../../../main/contract/operation.ts'
import { screenGraph } from '../../support/screen-graph.ts'

/**
 * Every screen × everybody who can sign in. A screen that calls what somebody may not call is not for them, or shows the
 * part that calls it only to those who may. Made from the routes and the contracts: new screens and operations are in it.
 */
interface Entry {
  readonly path: string
  readonly role?: 'operator'
  readonly feature?: Feature
  readonly isOwnAccount?: boolean
}
// By their paths: the types of the tests know no .vue files, which the entries may reach.
const APP = resolve(import.meta.dirname, '../../../renderer/app')
const { entryOf } = (await import(`${APP}/entries.ts`)) as { entryOf: (path: string) => Entry | undefined }
const { ROUTES } = (await import(`${APP}/routes.ts`)) as { ROUTES: readonly RouteRecordRaw[] }

/** What an operation can ask of who calls it, besides being signed in. */
type Need = 'operator' | Feature
const NEEDS: readonly Need[] = ['operator', ...FEATURES]

const graph = screenGraph()
const OPERATIONS = new Map(
  CONTRACTS.flatMap(({ operations, feature }) =>
    Object.values<Operation>(operations).map((operation) => [operation.id, needsOf(operation, feature)] as const),
  ),
)

function needsOf({ role, scope }: Operation, feature: Feature | undefined): readonly Need[] {
  const isOfAgency = role === 'operator' || scope === 'agency:manage'
  return [...(isOfAgency ? (['operator'] as const) : []), ...(feature ? [feature] : [])]
}

/** What a condition of the window has in it when it looks at the need. */
const CONDITION: Readonly<Record<Need, RegExp>> = {
  operator: /isOperator|role: 'operator'|role !== 'member'|role === 'operator'/,
  campaigns: /feature: 'campaigns'/,
  ai: /feature: 'ai'/,
  voice: /feature: 'voice'/,
  ghl: /feature: 'ghl'/,
  mcp: /feature: 'mcp'/,
}

interface Exception {
  readonly need: Need
  readonly caller: string
  readonly why: string
}

/** Calls that no condition of the sources is seen around. */
const EXCEPTIONS: readonly Exception[] = [
  {
    ...{ need: 'operator', caller: 'parts/service.ts#useService' },
    why: 'unlocks the keychain when asked to, and only an operator learns that it is locked: SealedNote, VaultFacts',
  },
  {
    ...{ need: 'operator', caller: 'rooms/settings/store.ts#useSettings' },
    why: 'the settings load it for operators; PendingNote and NetworkChoice show what was loaded',
  },
  {
    ...{ need: 'voice', caller: 'rooms/sandbox/use-phone-call.ts#usePhoneCall' },
    why: 'reads a call that a number with voice took',
  },
  {
    ...{ need: 'voice', caller: 'rooms/softphone/call.ts#useSoftphone' },
    why: 'CallBar shows a call that was begun where voice is',
  },
]

interface Screen {
  readonly path: string
  readonly file: string
}

const SCREENS: readonly Screen[] = ROUTES.filter(({ redirect }) => redirect === undefined).map((route) => ({
  path: route.path,
  // As the tests compile `() => import('…')`.
  file: /"\/renderer\/(rooms\/[^"]+)"/.exec(String(route.component as unknown))?.[1] ?? '',
}))
const needOfScreen = (path: string, need: Need): boolean => {
  const entry = entryOf(path.replace(/\/:.*/, ''))
  return need === 'operator' ? entry?.role === 'operator' : entry?.feature === need
}

test('every route has a screen whose source is known', () => {
  expect(SCREENS.filter(({ file }) => !/^rooms\/.*\.vue$/.test(file))).toEqual([])
})

describe.each(NEEDS)('without “%s”', (need) => {
  const callers = graph.callers.filter(({ operations }) =>
    operations.some((id) => OPERATIONS.get(id)?.includes(need) === true),
  )

  test('shows nothing that the service refuses', () => {
    const open: string[] = []
    for (const { name, operations } of callers) {
      if (EXCEPTIONS.some((exception) => exception.need === need && exception.caller === name)) continue
      const screens = graph.screensOf(name, (code) => CONDITION[need].test(code))
      for (const [file, way] of screens) {
        const paths = SCREENS.filter((screen) => screen.file === file).map(({ path }) => path)
        const shown = file === 'App.vue' ? ['every screen'] : paths.filter((path) => !needOfScreen(path, need))
        if (shown.length > 0) open.push(`${shown.join(', ')}: ${operations.join(', ')}, by ${way.join(' < ')}`)
      }
    }
    expect(open).toEqual([])
  })
})

test.each(EXCEPTIONS)('the exception of $caller is needed', ({ need, caller }) => {
  const found = graph.callers.find(({ name }) => name === caller)
  expect(found?.operations.some((id) => OPERATIONS.get(id)?.includes(need))).toBe(true)
  expect(graph.screensOf(caller, (code) => CONDITION[need].test(code)).size).toBeGreaterThan(0)
})

describe('screens that a role may not open', () => {
  const without = (hides: (entry: Entry) => boolean) =>
    SCREENS.filter(({ path }) => {
      const entry = entryOf(path.replace(/\/:.*/, ''))
      return entry !== undefined && hides(entry)
    }).map(({ path }) => path)

  test('a member, of an agency or of a client', () => {
    expect(without(({ role }) => role === 'operator')).toEqual(['/clients', '/clients/:id', '/brand', '/team'])
  })

  test('an operator in the account of a client', () => {
    expect(without(({ isOwnAccount }) => isOwnAccount === true)).toEqual(['/clients', '/clients/:id'])
  })

  test.each([
    ['campaigns', ['/campaigns', '/campaigns/edit/:id?', '/campaigns/:id']],
    ['ai', ['/agents', '/agents/:id']],
    [
      'voice',
      [
        ...['/calls', '/calls/schedule', '/calls/:instance/:call', '/recordings'],
        ...['/recordings/:instance/calls/:call', '/recordings/:instance/:id', '/softphone', '/voice', '/voice/:id'],
        ...['/voice/:id/widgets', '/voice/:id/widgets/:widget'],
      ],
    ],
    ['ghl', []],
    ['mcp', ['/assistants/:tab(approvals|connect|calls)?']],
  ] as const)('an account without “%s”', (feature, paths) => {
    expect(without((entry) => entry.feature === feature)).toEqual(paths)
  })
})
