import { useI18n } from 'vue-i18n'
import type { IssueDetails } from '../../main/contract/health-issue.ts'
import { timeText } from '../app/time.ts'
import { nameGroups, type GroupNames } from './group-names.ts'

/** Texts for details of a health issue, and Meta's page on which it can be fixed. */
export function useIssueWords() {
  const { t, n, locale } = useI18n()
  /** Leaves out expired ones. */
  const future = (name: 'until' | 'next_retry_at', at: string | undefined) =>
    at === undefined || Date.parse(at) <= Date.now()
      ? []
      : [t(`instances.issueFact.${name}`, { time: timeText(at, { form: 'dateTime', locale: locale.value }) })]

  function groupsOf(ids: readonly string[], names: GroupNames): string[] {
    const { known, more } = nameGroups(ids, names)
    const count = known.length > 0 ? 'moreGroups' : 'groupCount'
    return [
      ...(known.length > 0 ? [t('instances.issueFact.groups', { value: known.join(', ') }, known.length)] : []),
      ...(more > 0 ? [t(`instances.issueFact.${count}`, { n: n(more) }, more)] : []),
    ]
  }

  /** @param code of the issue, if it counts something. @param names of the number's groups, if known. */
  function factsOf(details: IssueDetails, code?: string, names: GroupNames = new Map()): string[] {
    const { group_ids: groups = [], fields = [], count, limit } = details
    const named = (
      ['reason', 'username', 'requester_id', 'graph_version', 'provider_code', 'provider_message'] as const
    )
      .map((name) => [name, details[name]] as const)
      .filter(([name, value]) => value !== undefined && !(name === 'reason' && isNamedByCode(code)))
      .map(([name, value]) => t(`instances.issueFact.${name}`, { value: String(value) }))
    const lists =
      fields.length > 0 ? [t('instances.issueFact.fields', { value: fields.join(', ') }, fields.length)] : []
    return [
      ...(count !== undefined && isCounted(code)
        ? [t(`instances.issueFact.count.${code}`, { n: n(count) }, count)]
        : []),
      ...(limit !== undefined ? [t('instances.issueFact.limit', { value: n(limit) })] : []),
      ...groupsOf(groups, names),
      ...lists,
      ...named,
      ...future('until', details.until),
      ...future('next_retry_at', details.next_retry_at),
    ]
  }

  /** Undefined for an issue that is not fixed there. */
  function placeOf(code: string): { readonly label: string; readonly url: string } | undefined {
    const place = findPlace(code)
    return place && { label: t(`instances.issuePlace.${place}`), url: URLS[place] }
  }

  return { factsOf, placeOf }
}

/** `removed_primary_inactivity` as text. */
const isNamedByCode = (code = '') => code.startsWith('removed_')

const COUNTED = ['media_missing', 'callbacks_unread', 'webhooks_failing', 'templates_nearly_full'] as const
const isCounted = (code: string | undefined): code is (typeof COUNTED)[number] =>
  (COUNTED as readonly (string | undefined)[]).includes(code)

type Place = 'whatsapp_manager' | 'app_dashboard' | 'business_settings'

const URLS: Readonly<Record<Place, string>> = {
  whatsapp_manager: 'https://business.facebook.com/wa/manage/home/',
  app_dashboard: 'https://developers.facebook.com/apps/',
  business_settings: 'https://business.facebook.com/settings/',
}

/** Issues that can be fixed only on Meta's pages. */
const IN_WHATSAPP_MANAGER =
  /^(?:held_(?:payment|policy|display_name)|restricted_.+|pin_.+|limit_increase_blocked|official_account_rejected|profile_picture_lost|account_.+|display_name_rejected|groups?_suspended|number_error|quality_(?:low|medium)|templates_nearly_full)$/

function findPlace(code: string): Place | undefined {
  if (code === 'fields_missing') return 'app_dashboard'
  if (code === 'permission_missing') return 'business_settings'
  return IN_WHATSAPP_MANAGER.test(code) ? 'whatsapp_manager' : undefined
}
