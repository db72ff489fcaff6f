import type { Body, Reply } from '../../app/operation-types.ts'

export type LineSettings = Reply<'getLineSettings'>
type Patch = Body<'updateLineSettings'>

/** The pace fields of the contract, in display order. */
export const PACE_FIELDS = ['per_minute', 'burst', 'chat_per_minute', 'chat_burst', 'spacing_ms'] as const
type PaceField = (typeof PACE_FIELDS)[number]

export const PROXY_TYPES = ['none', 'http', 'https', 'socks5'] as const

/** The typed values of the form. */
export interface LineForm {
  /** An empty text means the default of the service. */
  pace: Record<PaceField, string>
  online: boolean
  proxy: { type: (typeof PROXY_TYPES)[number]; host: string; port: string; username: string; password: string }
}

export function toForm({ pace, online, proxy }: LineSettings): LineForm {
  const text = (field: PaceField) => String(pace[field] ?? '')
  return {
    pace: Object.fromEntries(PACE_FIELDS.map((field) => [field, text(field)])) as Record<PaceField, string>,
    online,
    proxy: {
      ...{ type: proxy?.type ?? 'none', host: proxy?.host ?? '', port: String(proxy?.port ?? '') },
      ...{ username: '', password: '' },
    },
  }
}

/**
 * Only the changed fields. An unchanged proxy is left out, so that it keeps its login, which the form does not know.
 */
export function toPatch(before: LineSettings, { pace, online, proxy }: LineForm): Patch {
  const changed = PACE_FIELDS.map((field) => [field, numberIn(pace[field])] as const).filter(
    ([field, value]) => value !== before.pace[field],
  )
  return {
    ...(changed.length > 0 && { pace: Object.fromEntries(changed) }),
    ...(online !== before.online && { online }),
    ...proxyPatch(before, proxy),
  }
}

function proxyPatch({ proxy: before }: LineSettings, proxy: LineForm['proxy']): Pick<Patch, 'proxy'> {
  const { type, username, password } = proxy
  if (type === 'none') return before === null ? {} : { proxy: null }
  const place = { type, host: proxy.host.trim(), port: Number(proxy.port) }
  const isSame = before?.type === type && before.host === place.host && before.port === place.port
  if (isSame && username === '' && password === '') return {}
  return { proxy: { ...place, ...(username !== '' && { username }), ...(password !== '' && { password }) } }
}

const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** Whether the change of the proxy requires its login to be entered again. */
export function losesLogin({ proxy: before }: LineSettings, { proxy }: LineForm): boolean {
  if (!before?.has_credentials || proxy.type === 'none' || proxy.username !== '') return false
  return before.type !== proxy.type || before.host !== proxy.host.trim() || before.port !== Number(proxy.port)
}
