import { useI18n } from 'vue-i18n'
import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'
import type { CallPart } from '../../../main/contract/approval.ts'
import { quotedText, visibleText } from '../../../main/contract/display-text.ts'
import { microsText } from '../../app/micros.ts'
import { moneyText } from '../../app/money.ts'
import { listText } from '../../app/names.ts'
import { timeText } from '../../app/time.ts'
import { usePersonNames } from '../../parts/person-names.ts'
import { useInstanceNames } from '../../parts/instance-names.ts'
import { isId, linesOf, readableResult, shortId, withoutId, type FactLine, type FactWords } from './fact-lines.ts'

/** A line of what a call would do: `To`, `12025550123`. */
interface Fact {
  readonly label: string
  readonly text: string
  /** Lines of an argument with nested fields, instead of the text. */
  readonly lines: readonly FactLine[]
}

type Described = Pick<ApprovalRecord, 'parts' | 'arguments'>

/** Names of objects by id, as the service read them. */
type Names = ReadonlyMap<string, string>
const namesIn = (parts: Described['parts']): Names =>
  new Map((parts ?? []).flatMap(({ kind, values: [id = '', name = ''] }) => (kind === 'named' ? [[id, name]] : [])))

/** Fields whose values are keywords. In other fields, such a word is a person's text. */
const OF_WORDS = new Set([
  ...['status', 'state', 'type', 'kind', 'reason', 'engine', 'network', 'provider', 'direction', 'gateway', 'step'],
  ...['pause_reason', 'end_reason', 'final_reason', 'disabled_reason', 'unavailable_reason', 'failure', 'failure_code'],
  ...['rotation', 'variation', 'media_type', 'member_add', 'answered_by', 'budget_hold', 'mode', 'source', 'code'],
])
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z$/
const QUOTED = /^“(.*)”$/s

/** Arguments that name people, in every operation. */
const OF_PEOPLE = new Set([
  'to',
  'recipient',
  'phone',
  'phones',
  'number',
  'numbers',
  'participants',
  'mentions',
  'chat',
])
const QUOTED_NUMBER = /^“?(\d{7,15})”?$/

/** @returns what a call of an assistant would do, in the window's language; hosts are shown separately. */
export function useFacts(): (record: Described) => Fact[] {
  const { t, locale } = useI18n()
  const words = useFactWords()

  const labelOf = ({ kind, name }: CallPart): string =>
    name === null ? t(`assistants.fact.label.${kind}`) : words.fieldLabel(name)
  const counted = (key: string, count: number) => words.counted(key, count)
  const valueText = ({ kind, name }: CallPart, value: string, names: Names): string => {
    if (kind === 'people') return words.personText(value)
    if (kind === 'value' || kind === 'list') return argumentText(value, name ?? '', names)
    return kind === 'message_chat' ? words.personText(withoutId(value)) : words.labelText(value)
  }
  /** Text written by people stays in quotation marks. */
  function argumentText(value: string, name: string, names: Names): string {
    const written = QUOTED.exec(value)?.[1] ?? value
    const shown = words.of(names).text(written, name)
    return shown === written ? value : shown
  }
  const named = (part: CallPart, names: Names) => {
    const values = part.values.map((value) => valueText(part, value, names))
    const rest = part.total - values.length
    return rest > 0 ? `${values.join(', ')} ${counted('more', rest)}` : listText(values, locale.value)
  }
  const withVariations = (text: string, { total }: CallPart) =>
    total === 1 ? text : `${text} ${counted('variations', total - 1)}`

  const textOf = (part: CallPart, names: Names): string => {
    const [first = ''] = part.values
    switch (part.kind) {
      case 'people':
        return t('assistants.fact.peopleNamed', { people: counted('people', part.total), names: named(part, names) })
      case 'group':
        return t('assistants.fact.group', { name: withoutId(first) })
      case 'campaign_people':
        return counted('people', Number(first))
      case 'campaign_message':
      case 'campaign_template':
        return withVariations(first, part)
      case 'campaign_file':
        return withVariations(t('assistants.fact.file'), part)
      case 'cost_unknown':
        return counted('cost_unknown', Number(first))
      case 'cost_estimate':
        return t('assistants.fact.cost_estimate', { amounts: listText(part.values, locale.value) })
      case 'cost_of_meta':
      case 'cost_free':
      case 'cost_none':
        return t(`assistants.fact.${part.kind}`)
      default:
        return named(part, names)
    }
  }

  /** @returns undefined for plain text. */
  function plainText({ kind, name }: CallPart, given: Described['arguments'], names: Names): string | undefined {
    const value = kind === 'value' && name !== null ? given[name] : undefined
    const { flag, number, nothing } = words.of(names)
    if (typeof value === 'boolean') return flag(value)
    if (typeof value === 'number') return number(value)
    return value === null ? nothing : undefined
  }

  return ({ parts, arguments: given }) => {
    const names = namesIn(parts)
    return (parts ?? []).flatMap((part) =>
      part.kind === 'destination' || part.kind === 'named'
        ? []
        : [
            {
              label: labelOf(part),
              text: plainText(part, given, names) ?? textOf(part, names),
              lines: part.kind === 'value' && part.name !== null ? linesOf(given[part.name], words.of(names)) : [],
            },
          ],
    )
  }
}

/** @returns the result of a call as a readable list; empty for a failed call, and if there is nothing to show. */
export function useResultLines(): (record: Pick<ApprovalRecord, 'parts' | 'result'>) => FactLine[] {
  const words = useFactWords()
  return ({ parts, result }) => {
    if (result === null || result.status >= 400) return []
    const names = namesIn(parts)
    return linesOf(
      readableResult(result.body, (id) => words.nameOf(id, names) !== undefined),
      words.of(names),
    )
  }
}

/** Labels of fields and values of calls, in the window's language. */
function useFactWords() {
  const { t, te, n, locale } = useI18n()
  const people = usePersonNames()
  const instances = useInstanceNames()

  const nameOf = (id: string, names: Names): string | undefined => {
    const label = names.get(id)
    return label === undefined ? instances.byId.get(id) : labelText(label)
  }
  const fieldLabel = (name: string): string => {
    const key = [`assistants.argument.${name}`, `problems.field.${name}`].find((each) => te(each))
    return key === undefined ? visibleText(name) : t(key)
  }
  /** The number stays beside the name, because an assistant can change names. */
  function personText(value: string): string {
    const phone = QUOTED_NUMBER.exec(value)?.[1]
    if (phone === undefined) return value
    const name = people.nameOf(phone)
    return name === undefined ? people.addressOf(phone) : `${quotedText(name)} (${people.addressOf(phone)})`
  }
  /** The number behind a name, as people write it. */
  const labelText = (value: string): string =>
    withoutId(instances.byId.get(value) ?? value).replace(
      / \((\d{7,15})\)$/,
      (_, phone: string) => ` (${people.addressOf(phone)})`,
    )
  const counted = (key: string, count: number) => t(`assistants.fact.${key}`, { n: n(count) }, count)

  function text(value: string, name: string, names: Names): string {
    if (isId(value)) return nameOf(value, names) ?? shortId(value)
    if (OF_PEOPLE.has(name)) return personText(value)
    if (TIME.test(value)) return timeText(value, { form: 'dateTime', locale: locale.value })
    const word = `assistants.value.${value}`
    return OF_WORDS.has(name) && /^\w+$/.test(value) && te(word) ? t(word) : value
  }

  const of = (names: Names): FactWords => ({
    label: (name) => nameOf(name, names) ?? fieldLabel(name),
    entry: (position) => t('assistants.fact.entry', { n: n(position) }),
    flag: (isSet) => t(isSet ? 'assistants.fact.yes' : 'assistants.fact.no'),
    number: n,
    nothing: t('assistants.fact.nothing'),
    money: (value, unit, currency) =>
      unit === 'cents' ? moneyText(value, currency, locale.value) : microsText(value, currency, locale.value),
    text: (value, name) => text(value, name, names),
    more: (count) => counted('more', count),
  })
  return { of, nameOf, fieldLabel, personText, labelText, counted }
}
