import type { FileContent } from '../kernel/file-content.ts'
import type { AccountId, InstanceId } from '../kernel/ids.ts'
import type { EngineInstance } from './instance.ts'
import type { TemplateContent } from './template-content.ts'

/** Another category that Meta has announced, and from when messages with the template are charged as such. */
export interface CategoryChange {
  readonly category: string
  readonly atMs: number
}

/** The same, with the template and the instances that can send it. */
export interface AnnouncedChange extends CategoryChange {
  readonly name: string
  readonly language: string
  readonly instanceIds: readonly InstanceId[]
}

/** The account of a client, for its agency. */
interface OfClient {
  readonly account: { readonly id: AccountId; readonly name: string }
}
export interface AnnouncedChangeOfClient extends AnnouncedChange, OfClient {}

/** Nobody can be sent a template in one of these states. */
export type TemplateState = 'rejected' | 'paused' | 'disabled'

/** A template that nobody can be sent, and the instances that would send it. */
export interface UnusableTemplate {
  readonly name: string
  readonly language: string
  readonly state: TemplateState
  readonly sinceMs: number
  readonly instanceIds: readonly InstanceId[]
}

export interface UnusableTemplateOfClient extends UnusableTemplate, OfClient {}

/** Meta has suspended the utility templates of an account, because it considers some of them marketing. */
export interface TemplateSuspension {
  readonly sinceMs: number
  /** null: until Meta ends it. */
  readonly untilMs: number | null
}

/** A message template of the Cloud API, with Meta's own words for its status, category and quality. */
export interface Template {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly status: string
  readonly category: string
  /** `GREEN`, `YELLOW` or `RED`; null: Meta does not know yet. */
  readonly quality: string | null
  /** Meta's code, such as `INVALID_FORMAT`; null: it was not rejected. */
  readonly rejectedReason: string | null
  /** When Meta ends a pause; null: it is not paused, or Meta has not said when. */
  readonly pausedUntilMs: number | null
  /** null: Meta has announced none. */
  readonly categoryChange: CategoryChange | null
  /** It is a utility template that Meta has suspended, or was one when that began. null: it is not. */
  readonly suspension: TemplateSuspension | null
  /** When Meta deletes it, which it has archived; null: it has not, or not said when it did. */
  readonly deletedAtMs: number | null
  /** How long Meta tries to deliver a message with it; null: as long as it does for this category. */
  readonly ttlSeconds: number | null
  readonly components: readonly object[]
}

/** How many templates a business account has, and how many it can have. */
export interface TemplateCapacity {
  readonly count: number
  readonly limit: number
}

export interface TemplatePage {
  readonly templates: readonly Template[]
  /** null: not known. */
  readonly capacity: TemplateCapacity | null
  /** Where the next page begins, in the engine's own words; null on the last. */
  readonly after: string | null
}

export interface TemplateDraft {
  readonly name: string
  readonly language: string
  readonly category: string
  readonly components: readonly object[]
  readonly ttlSeconds?: number | null | undefined
}

/** What is left out stays as it is. All components are replaced together. */
export type TemplateChange = Partial<Pick<TemplateDraft, 'category' | 'components' | 'ttlSeconds'>>

/** The file of a header, as Meta's reviewers see it. */
export interface TemplateSample {
  readonly mimeType: string
  readonly content: Pick<FileContent, 'size' | 'parts'>
}

/**
 * The templates of the business account behind a number. Each throws ApiError not_ready without a number, and
 * invalid_state with what Meta says when it refuses.
 */
export interface Templates {
  list(instance: EngineInstance, page: { readonly limit: number; readonly after: string | null }): Promise<TemplatePage>
  /** @returns undefined if the business account has none with this id. */
  read(instance: EngineInstance, id: string): Promise<Template | undefined>
  /**
   * What the person sees of a message with a template, for the message that is stored. It asks nobody and never throws.
   * @returns null where the words of the template are not known here.
   */
  contentOf(instance: EngineInstance, payload: object): Promise<TemplateContent | null>
  /** Why no campaign or agent may use the template now; null: they may. Absent: the network suspends none. */
  suspensionOf?(instance: EngineInstance, name: string, language: string): Promise<TemplateSuspension | null>
  /** The changes of categories that are announced for an account, earliest first. Absent: the network announces none. */
  announced?(accountId: AccountId): Promise<readonly AnnouncedChange[]>
  /** The same of the clients of an agency. */
  announcedOfClients?(accountId: AccountId): Promise<readonly AnnouncedChangeOfClient[]>
  /** Those of an account that nobody can be sent, the latest first. Absent: the network reviews none. */
  unusable?(accountId: AccountId): Promise<readonly UnusableTemplate[]>
  /** The same of the clients of an agency. */
  unusableOfClients?(accountId: AccountId): Promise<readonly UnusableTemplateOfClient[]>
  /** @returns what names the file in `example.header_handle` of a header. */
  uploadSample(instance: EngineInstance, sample: TemplateSample): Promise<string>
  /** Submits it for review. Meta refuses a second one with the same name and language. */
  create(instance: EngineInstance, draft: TemplateDraft): Promise<{ readonly id: string }>
  /** Submits the changes for review. */
  change(instance: EngineInstance, id: string, change: TemplateChange): Promise<void>
  /** Ends a pause that does not end by itself. Meta refuses it for the others. */
  unpause(instance: EngineInstance, id: string): Promise<void>
  /** In its own language alone. */
  remove(instance: EngineInstance, template: Pick<Template, 'id' | 'name'>): Promise<void>
}
