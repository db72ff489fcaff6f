import { LIMITS } from '../../../main/contract/limits.ts'
import type { NewWidget, VoiceWidget } from '../../../main/contract/voice.ts'
import { judgeOrigin, type JudgedOrigin } from '../../../main/contract/widget-origin.ts'
import { isColor } from '../agency/brand-form.ts'

type Appearance = VoiceWidget['appearance']

/** The settings of a widget as the form shows them. */
export interface WidgetForm {
  name: string
  origins: string[]
  /** Empty means the primary agent. */
  agent: string
  video: boolean
  /** The maximum number of calls per day; null if the field is empty. */
  cap: number | null
  /** The text of the button; empty means the default in the language of the page. */
  text: string
  color: string
  position: Appearance['position']
  language: Appearance['language']
}

export const widgetFormOf = (widget: VoiceWidget): WidgetForm => ({
  name: widget.name,
  origins: [...widget.allowed_origins],
  agent: widget.agent_id ?? '',
  video: widget.video_enabled,
  cap: widget.daily_cap,
  text: widget.appearance.title ?? '',
  ...{ color: widget.appearance.color, position: widget.appearance.position, language: widget.appearance.language },
})

export const widgetBodyOf = (form: WidgetForm): NewWidget => ({
  name: form.name.trim(),
  allowed_origins: form.origins.map((origin) => origin.trim()),
  agent_id: form.agent === '' ? null : form.agent,
  video_enabled: form.video,
  daily_cap: form.cap ?? LIMITS.voiceWidgetDailyCap,
  appearance: {
    title: form.text.trim() === '' ? null : form.text.trim(),
    ...{ color: form.color, position: form.position, language: form.language },
  },
})

/** The first invalid origin as it was typed, with the origin that was probably meant. */
export function findBadOrigin(origins: readonly string[]): (JudgedOrigin & { readonly typed: string }) | undefined {
  return origins.map((typed) => ({ typed, ...judgeOrigin(typed.trim()) })).find(({ fault }) => fault !== null)
}

export const isCapValid = (cap: number | null): boolean =>
  cap !== null && Number.isInteger(cap) && cap >= 1 && cap <= LIMITS.voiceWidgetDailyCapMax

export const isWidgetValid = ({
  name,
  origins,
  color,
  cap,
}: Pick<WidgetForm, 'name' | 'origins' | 'color' | 'cap'>): boolean =>
  name.trim() !== '' &&
  origins.length > 0 &&
  findBadOrigin(origins) === undefined &&
  color !== '' &&
  isColor(color) &&
  isCapValid(cap)
