import { charactersIn, INTERACTIVE_LIMITS, TEXT_LIMITS } from '../../contract/message-limits.ts'
import { recordAt, recordsAt, type Json } from './json.ts'

/** A part of a raw payload that Meta would refuse. */
export interface PayloadFault {
  /** A path in the payload: `interactive.body.text`. */
  readonly field: string
  readonly limit: number
  readonly unit: 'characters' | 'entries'
}

type Checks = Generator<PayloadFault, void>

/**
 * The first known limit of the Cloud API that a raw payload exceeds. The structure is not checked: Meta reports such
 * errors itself.
 */
export function exceededLimit(payload: object): PayloadFault | undefined {
  return exceededLimits(payload as Json).next().value ?? undefined
}

function* exceededLimits(payload: Json): Checks {
  const { text, caption } = TEXT_LIMITS.official
  yield* characters('text.body', recordAt(payload, 'text')['body'], text)
  for (const type of ['image', 'video', 'document'])
    yield* characters(`${type}.caption`, recordAt(payload, type)['caption'], caption)
  yield* ofInteractive(recordAt(payload, 'interactive'))
}

function* ofInteractive(interactive: Json): Checks {
  const { header, body, listBody, footer } = INTERACTIVE_LIMITS
  const isList = interactive['type'] === 'list'
  yield* characters('interactive.header.text', recordAt(interactive, 'header')['text'], header)
  yield* characters('interactive.body.text', recordAt(interactive, 'body')['text'], isList ? listBody : body)
  yield* characters('interactive.footer.text', recordAt(interactive, 'footer')['text'], footer)
  const action = recordAt(interactive, 'action')
  yield* ofButtons(action)
  if (isList) yield* ofList(action)
  const products = recordsAt(action, 'sections').flatMap((section) => recordsAt(section, 'product_items'))
  yield* entries('interactive.action.sections[].product_items', products.length, INTERACTIVE_LIMITS.products)
  const { display_text: display, flow_cta: flow } = recordAt(action, 'parameters')
  yield* characters('interactive.action.parameters.display_text', display, INTERACTIVE_LIMITS.openButton)
  yield* characters('interactive.action.parameters.flow_cta', flow, INTERACTIVE_LIMITS.flowButton)
}

function* ofButtons(action: Json): Checks {
  const at = 'interactive.action.buttons'
  const buttons = recordsAt(action, 'buttons')
  yield* entries(at, buttons.length, INTERACTIVE_LIMITS.buttons)
  for (const [i, button] of buttons.entries()) {
    const { id, title } = recordAt(button, 'reply')
    yield* characters(`${at}[${i}].reply.title`, title, INTERACTIVE_LIMITS.button)
    yield* characters(`${at}[${i}].reply.id`, id, INTERACTIVE_LIMITS.buttonId)
  }
}

function* ofList(action: Json): Checks {
  const at = 'interactive.action.sections'
  yield* characters('interactive.action.button', action['button'], INTERACTIVE_LIMITS.openButton)
  const sections = recordsAt(action, 'sections')
  yield* entries(at, sections.length, INTERACTIVE_LIMITS.sections)
  const rows = sections.map((section) => recordsAt(section, 'rows'))
  yield* entries(`${at}[].rows`, rows.flat().length, INTERACTIVE_LIMITS.rows)
  for (const [i, section] of sections.entries()) {
    yield* characters(`${at}[${i}].title`, section['title'], INTERACTIVE_LIMITS.section)
    for (const [j, row] of (rows[i] ?? []).entries()) {
      const { id, title, description } = row
      yield* characters(`${at}[${i}].rows[${j}].title`, title, INTERACTIVE_LIMITS.row)
      yield* characters(`${at}[${i}].rows[${j}].description`, description, INTERACTIVE_LIMITS.rowDescription)
      yield* characters(`${at}[${i}].rows[${j}].id`, id, INTERACTIVE_LIMITS.rowId)
    }
  }
}

function* characters(field: string, value: unknown, limit: number): Checks {
  if (typeof value === 'string' && charactersIn(value) > limit) yield { field, limit, unit: 'characters' }
}

function* entries(field: string, count: number, limit: number): Checks {
  if (count > limit) yield { field, limit, unit: 'entries' }
}
