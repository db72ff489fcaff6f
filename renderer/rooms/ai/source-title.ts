import type { Reply } from '../../app/operation-types.ts'

type Source = Pick<Reply<'testAgent'>['sources'][number], 'kind' | 'title'>

/** The title of a source. For a passage of a document, the service appends the page in English. */
export const sourceTitle = ({ kind, title }: Source, pageText: (page: number) => string): string =>
  kind === 'document' ? title.replace(/, p\. (\d+)$/, (_end, page: string) => `, ${pageText(Number(page))}`) : title
