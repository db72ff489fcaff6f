import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countVariants,
  parseCampaignText,
  renderCampaignText,
  seededFractions,
  variableKey,
  variablesOf,
  withNumberedButtons,
} from '../../../main/contract/campaign-text.ts'
import { renderMessage } from '../../../main/capabilities/campaigns/render.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const first = () => 0
const render = (text: string, values: Record<string, string> = {}, fraction = first) =>
  renderCampaignText(parseCampaignText(text), values, fraction)

describe('variables', () => {
  test.each([
    ['Hi {{name}}!', 'Hi Ana!'],
    ['Hi {{ Name }}!', 'Hi Ana!'],
    ['{{city|your town}}', 'your town'],
    ['{{empty|x}}{{missing}}', 'x'],
    ['{{name', '{{name'],
    ['{ {name} }', '{ {name} }'],
    ['a } b', 'a } b'],
  ])('%s becomes %s', (text, said) => {
    expect(render(text, { name: 'Ana', empty: '' })).toBe(said)
  })

  test('are found wherever they are, once each', () => {
    expect(variablesOf(parseCampaignText('{{b}} {x {{a}}|{y|{{b}} {{c|d}}}}'))).toEqual(['b', 'a', 'c'])
    expect(variableKey('  Primeiro Nome ')).toBe('primeiro nome')
  })
})

describe('options', () => {
  test('nest ten levels deep; a brace below that is plain text, and a hundred thousand of them are harmless', () => {
    const nested = (levels: number) => '{a|'.repeat(levels) + 'b' + '}'.repeat(levels)
    expect(parseCampaignText(nested(10))).toMatchObject({ unclosedAt: null, tooDeepAt: null })
    expect(parseCampaignText(nested(11)).tooDeepAt).toBe(31)
    expect(parseCampaignText('{'.repeat(100_000)).tooDeepAt).toBe(11)
  })

  test('are at most a thousand, together with variables; the rest is plain text', () => {
    const most = '{a|b}{{c}} '.repeat(333)
    expect(parseCampaignText(`${most}{c}`).tooManyAt).toBeNull()
    expect(parseCampaignText(`${most}{c}{{d}}`).tooManyAt).toBe(most.length + 4)
    expect(variablesOf(parseCampaignText(`${most}{c}{{d}}`))).toEqual(['c'])
  })

  test.each(['{', '{}', '{{a}}', '{a|b}', '{|', '{{{{{{{{{{a|b}}}}}}}}}}', '{{ab|' + 'b'.repeat(200)])(
    'are parsed quickly from 65,536 characters of %s',
    async (part) => {
      const texts = Array.from({ length: 20 }, () => part.repeat(65_536 / part.length))
      expect(await cpuTime(() => texts.map(parseCampaignText).map(countVariants))).toBeLessThan(250)
    },
  )

  test('nest, and each can be chosen', () => {
    const source = '{a|b|{c|d}} {{name}}'
    const parsed = parseCampaignText(source)
    expect(countVariants(parsed)).toBe(4)
    const seen = new Set(
      Array.from({ length: 200 }, (_each, i) => render(source, { name: 'A' }, seededFractions(`${i}`))),
    )
    expect(seen).toEqual(new Set(['a A', 'b A', 'c A', 'd A']))
  })

  test('an opening brace that is never closed is found', () => {
    expect(parseCampaignText('Hi {a|b').unclosedAt).toBe(4)
    expect(parseCampaignText('Hi {a|{b}').unclosedAt).toBe(4)
    expect(parseCampaignText('Hi {a|b} }').unclosedAt).toBeNull()
  })
})

test('any text is parsed and rendered, and one without braces stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', '|', 'a', ' ', '\n') }), (text) => {
      const said = render(text)
      if (!/[{}]/.test(text)) expect(said).toBe(text)
      expect(countVariants(parseCampaignText(text))).toBeGreaterThanOrEqual(1)
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('the same seed yields the same numbers, and other seeds spread evenly', () => {
  const draw = (seed: string) => seededFractions(seed)()
  expect(draw('cmp_1:7')).toBe(draw('cmp_1:7'))
  const tenths = Array.from({ length: 10_000 }, (_each, i) => Math.floor(10 * draw(`cmp_1:${i}`)))
  for (let tenth = 0; tenth < 10; tenth++)
    expect(tenths.filter((each) => each === tenth).length / 1_000).toBeCloseTo(1, 0)
})

describe('buttons', () => {
  const buttons = [
    { id: 'y', text: 'Yes' },
    { id: 'n', text: 'No' },
  ]
  const ana = { phone: '12025550123', name: 'Ana', variables: {} }

  test('are a numbered list on networks without buttons, and buttons on others', () => {
    expect(withNumberedButtons('Coming?', buttons)).toBe('Coming?\n\n1. Yes\n2. No')
    const message = { text: 'Coming, {{name}}?', buttons }
    expect(renderMessage(message, ana, 'smv2', 's')).toEqual({ text: 'Coming, Ana?\n\n1. Yes\n2. No', buttons: [] })
    expect(renderMessage(message, ana, 'official', 's')).toMatchObject({
      ...{ buttons: ['Yes', 'No'] },
      cloud_api: { type: 'interactive', interactive: { body: { text: 'Coming, Ana?' } } },
    })
  })

  test('templates get their variables in every text', () => {
    const template = { name: 'offer', components: [{ type: 'body', parameters: [{ type: 'text', text: '{{name}}' }] }] }
    const shown = renderMessage({ cloud_api: { type: 'template', template } }, ana, 'official', 's')
    expect(shown.cloud_api).toEqual({
      ...{ type: 'template' },
      template: { name: 'offer', components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }] },
    })
  })
})
