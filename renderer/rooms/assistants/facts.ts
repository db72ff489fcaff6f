import { useI18n } from 'vue-i18n'
import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'
import type { CallPart } from '../../../main/contract/approval.ts'
import { quotedText, visibleText } from '../../../main/contract/display-text.ts'
import { listText } from '../../app/names.ts'
import { usePersonNames } from '../../parts/person-names.ts'
import { useInstanceNames } from '../../parts/instance-names.ts'
import { linesOf, withoutId, type FactLine, type FactWords } from './fact-lines.ts'

/** A line of what a call would do: `To`, `12025550123`. */
interface Fact {
  readonly label: string
  readonly text: string
  /** Of an argument with fields of its own, in place of the text. */
  readonly lines: readonly FactLine[]
}

type Described = Pick<ApprovalRecord, 'parts' | 'arguments'>

/** What names people, in the arguments of every operation. */
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

/** @returns what a call of an assistant would do, in the language of the window; hosts are shown apart. */
export function useFacts(): (record: Described) => Fact[] {
  const { t, te, n, locale } = useI18n()
  const people = usePersonNames()
  const instances = useInstanceNames()

  const fieldLabel = (name: string): string => {
    const key = [`assistants.argument.${name}`, `problems.field.${name}`].find((each) => te(each))
    return key === undefined ? visibleText(name) : t(key)
  }
  const labelOf = ({ kind, name }: CallPart): string =>
    name === null ? t(`assistants.fact.label.${kind}`) : fieldLabel(name)
  /** The number stays beside the name, because an assistant can change names. */
  function personText(value: string): string {
    const phone = QUOTED_NUMBER.exec(value)?.[1]
    if (phone === undefined) return value
    const name = people.nameOf(phone)
    return name === undefined ? people.addressOf(phone) : `${quotedText(name)} (${people.addressOf(phone)})`
  }
  const valueText = ({ kind, name }: CallPart, value: string): string => {
    if (kind === 'value' || kind === 'list' || kind === 'people')
      return kind === 'people' || (name !== null && OF_PEOPLE.has(name)) ? personText(value) : value
    return kind === 'message_chat'
      ? personText(withoutId(value))
      : readable(withoutId(instances.byId.get(value) ?? value))
  }
  /** The number behind a name, as people write it. */
  const readable = (label: string): string =>
    label.replace(/ \((\d{7,15})\)$/, (_, phone: string) => ` (${people.addressOf(phone)})`)
  const words: FactWords = {
    label: fieldLabel,
    entry: (position) => t('assistants.fact.entry', { n: n(position) }),
    flag: (isSet) => t(isSet ? 'assistants.fact.yes' : 'assistants.fact.no'),
    number: n,
    text: (value, name) => (OF_PEOPLE.has(name) ? personText(value) : (instances.byId.get(value) ?? value)),
    more: (count) => counted('more', count),
  }
  const counted = (key: string, count: number) => t(`assistants.fact.${key}`, { n: n(count) }, count)
  const named = (part: CallPart) => {
    const values = part.values.map((value) => valueText(part, value))
    const rest = part.total - values.length
    return rest > 0 ? `${values.join(', ')} ${counted('more', rest)}` : listText(values, locale.value)
  }
  const withVariations = (text: string, { total }: CallPart) =>
    total === 1 ? text : `${text} ${counted('variations', total - 1)}`

  const textOf = (part: CallPart): string => {
    const [first = ''] = part.values
    switch (part.kind) {
      case 'people':
        return t('assistants.fact.peopleNamed', { people: counted('people', part.total), names: named(part) })
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
        return named(part)
    }
  }
  const linesOfPart = ({ kind, name }: CallPart, given: Described['arguments']): FactLine[] =>
    kind === 'value' && name !== null ? linesOf(given[name], words) : []

  const flagOf = ({ kind, name }: CallPart, given: Described['arguments']): string | undefined => {
    const value = kind === 'value' && name !== null ? given[name] : undefined
    return typeof value === 'boolean' ? words.flag(value) : undefined
  }

  return ({ parts, arguments: given }) =>
    (parts ?? []).flatMap((part) =>
      part.kind === 'destination'
        ? []
        : [{ label: labelOf(part), text: flagOf(part, given) ?? textOf(part), lines: linesOfPart(part, given) }],
    )
}
