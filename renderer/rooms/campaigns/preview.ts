import { TRAITS } from '../../../main/contract/engine-traits.ts'
import {
  fillTexts,
  parseCampaignText,
  renderCampaignText,
  seededFractions,
  variableKey,
  withNumberedButtons,
} from '../../../main/contract/campaign-text.ts'
import type { Interactive } from '../../../main/contract/interactive.ts'
import type { MessageContent } from '../../../main/contract/message-content.ts'
import type { Engine, MediaType } from '../../../main/contract/shapes.ts'
import { interactiveOf, previewOf, shownInteractive } from '../../parts/interactive-draft.ts'
import { findTemplate, type MessageDraft } from './message-draft.ts'
import { cardPrefix, fillTemplateText, templateCards, templateParts } from './template.ts'
import type { Template, TemplateValues } from './template.ts'

/** Limit of buttons on an official number, with a text of at most 1,024 characters and no file. */
export const NATIVE_BUTTONS = 3
const LONGEST_WITH_BUTTONS = 1_024

/** A file as a phone shows it. */
export interface PhoneFile {
  readonly type: MediaType
  readonly url: string
  readonly filename: string
}

/** A card of a carousel below a message. */
export interface PhoneCard {
  readonly media: PhoneFile
  readonly text: string
  readonly buttons: readonly string[]
}

/** A message as a phone shows it. */
export interface PhoneMessage {
  readonly header: string
  readonly media: PhoneFile | null
  readonly text: string
  readonly footer: string
  /** Buttons below the message; numbered options are part of the text instead. */
  readonly buttons: readonly string[]
  /** Cards of a carousel. */
  readonly cards: readonly PhoneCard[]
  /** Buttons, a list, a form or products with their texts; `text` is the body. */
  readonly interactive?: Extract<MessageContent, { type: 'interactive' }>
}

export interface Person {
  readonly phone: string
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
}

interface PreviewOptions {
  readonly engine: Engine
  readonly person: Person
  /** Columns of the list. Variables outside of it are shown as written. */
  readonly known: readonly string[]
  /** Each seed picks other options. */
  readonly seed: string
  readonly templates: readonly Template[]
}

/** One person's message of a variation. */
export function toPhoneMessage(draft: MessageDraft, options: PreviewOptions): PhoneMessage {
  const render = (text: string) => fillFor(text, options)
  if (draft.kind === 'interactive') return interactiveMessage(interactiveOf(previewOf(draft.interactive)), render)
  if (draft.kind === 'template' || draft.kind === 'kept') return templateMessage(draft, options, render)
  const buttons = draft.buttons.filter((each) => each.trim() !== '')
  const isFile = draft.kind === 'file'
  const words = isFile && draft.file.type === 'audio' ? '' : render(draft.text)
  const fits = buttons.length <= NATIVE_BUTTONS && words.length <= LONGEST_WITH_BUTTONS
  const isNative = TRAITS[options.engine].needsTemplates && !isFile && fits
  return {
    header: '',
    media: isFile ? { ...draft.file, url: render(draft.file.url) } : null,
    text: isNative
      ? words
      : withNumberedButtons(
          words,
          buttons.map((text) => ({ text })),
        ),
    footer: '',
    ...{ buttons: isNative ? buttons : [], cards: [] },
  }
}

function templateMessage(
  { template }: MessageDraft,
  { templates }: PreviewOptions,
  render: (text: string) => string,
): PhoneMessage {
  const found = template === null ? undefined : findTemplate(templates, template)
  if (template === null || found === undefined) return NOTHING
  return filledTemplate(
    found,
    Object.fromEntries(Object.entries(template.values).map(([key, text]) => [key, render(text)])),
  )
}

const NOTHING: PhoneMessage = { header: '', media: null, text: '', footer: '', buttons: [], cards: [] }

function interactiveMessage(message: Interactive, render: (text: string) => string): PhoneMessage {
  const filled = fillTexts(message, render)
  return { ...NOTHING, text: filled.body ?? '', interactive: shownInteractive(filled) }
}

/** A template with its placeholders filled. */
export function filledTemplate(template: Pick<Template, 'components'>, values: TemplateValues): PhoneMessage {
  const { header, headerFormat, body, footer, buttons } = templateParts(template)
  return {
    header: fillTemplateText(header, 'header', values),
    media: fileIn(headerFormat, 'header', values) ?? null,
    text: fillTemplateText(body, 'body', values),
    footer,
    buttons: buttons.map(({ text }) => text),
    cards: templateCards(template).map((card, index) => ({
      media: fileIn(card.headerFormat, `${cardPrefix(index)}header`, values) ?? NO_PICTURE,
      text: fillTemplateText(card.body, `${cardPrefix(index)}body`, values),
      buttons: card.buttons.map(({ text }) => text),
    })),
  }
}

const NO_PICTURE: PhoneFile = { type: 'image', url: '', filename: '' }

function fileIn(format: string, part: string, values: TemplateValues): PhoneFile | undefined {
  const type = format.toLowerCase()
  const isFile = type === 'image' || type === 'video' || type === 'document'
  return isFile ? { type, url: values[`${part}.${type}`] ?? '', filename: '' } : undefined
}

function fillFor(text: string, { person, known, seed }: PreviewOptions): string {
  const parsed = parseCampaignText(text)
  const values: Record<string, string> = { phone: person.phone, name: person.name }
  for (const [name, value] of Object.entries(person.variables)) values[variableKey(name)] = value
  const columns = new Set(['name', 'phone', ...known.map(variableKey)])
  // Shown as written, so that a typing error is visible.
  const shown = { ...values }
  for (const name of unknownNames(parsed.parts, columns)) shown[name] = `{{${name}}}`
  return renderCampaignText(parsed, shown, seededFractions(seed))
}

type Parts = ReturnType<typeof parseCampaignText>['parts']

/** Variables without a column and without a fallback. */
function unknownNames(parts: Parts, columns: ReadonlySet<string>): string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'choice') return part.options.flatMap((option) => unknownNames(option, columns))
    return part.kind === 'variable' && part.fallback === null && !columns.has(part.name) ? [part.name] : []
  })
}
