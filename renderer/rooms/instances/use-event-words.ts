import { useI18n } from 'vue-i18n'
import type { Event } from '../../../main/capabilities/events/contract.ts'
import { usePersonNames } from '../../parts/person-names.ts'
import { describeEvent, eventKey, isBan } from './event-groups.ts'

/** How a list shows an event: its name, its subject, and its icon. */
export function useEventWords() {
  const { t, te } = useI18n()
  const people = usePersonNames()
  const wordsFor = (key: string, code: string) => (te(key) ? t(key) : code)

  function lookOf(type: string): { icon: string; tone: string } {
    if (type === 'instance.connected') return { icon: 'i-lucide-circle-check', tone: 'text-success' }
    if (type.endsWith('failed')) return { icon: 'i-lucide-circle-x', tone: 'text-error' }
    if (type === 'instance.disconnected') return { icon: 'i-lucide-unplug', tone: 'text-warning' }
    if (type === 'message.received') return { icon: 'i-lucide-arrow-down-left', tone: 'text-info' }
    if (type.startsWith('message.')) return { icon: 'i-lucide-arrow-up-right', tone: 'text-muted' }
    return { icon: 'i-lucide-activity', tone: 'text-muted' }
  }
  function detail(event: Pick<Event, 'type' | 'data'>): string {
    const { text = '', reason, failure } = describeEvent(event, people.textOf)
    if (failure !== undefined)
      return [text, wordsFor(`messages.reason.${failure}`, failure)].filter(Boolean).join(' · ')
    return reason === undefined ? text : wordsFor(`instances.reason.${reason}`, reason)
  }
  const name = (event: Pick<Event, 'type' | 'data'>) =>
    isBan(event) ? t('instances.event.banned') : wordsFor(`instances.event.${eventKey(event.type)}`, event.type)

  return { lookOf, detail, name }
}
