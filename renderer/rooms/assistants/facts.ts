import { useI18n } from 'vue-i18n'
import type { CallPart } from '../../../main/contract/approval.ts'
import { listText } from '../../app/names.ts'

/** A line of what a call would do: `To`, `12025550123`. */
interface Fact {
  readonly label: string
  readonly text: string
}

/** @returns what a call of an assistant would do, in the language of the window; hosts are shown apart. */
export function useFacts(): (parts: readonly CallPart[]) => Fact[] {
  const { t, te, n, locale } = useI18n()

  const labelOf = ({ kind, name }: CallPart): string => {
    if (name === null) return t(`assistants.fact.label.${kind}`)
    return te(`assistants.argument.${name}`) ? t(`assistants.argument.${name}`) : name
  }
  const counted = (key: string, count: number) => t(`assistants.fact.${key}`, { n: n(count) }, count)
  const named = ({ values, total }: CallPart) => {
    const rest = total - values.length
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
        return t('assistants.fact.group', { name: first })
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
  return (parts) =>
    parts.flatMap((part) => (part.kind === 'destination' ? [] : [{ label: labelOf(part), text: textOf(part) }]))
}
