export type DocumentType = 'pdf' | 'docx' | 'markdown' | 'text'

/** What is accepted, by the type a browser or a program says. */
const BY_TYPE: Readonly<Record<string, DocumentType>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/markdown': 'markdown',
  'text/plain': 'text',
}

const BY_ENDING: Readonly<Record<string, DocumentType>> = {
  ...{ pdf: 'pdf', docx: 'docx', doc: 'docx', md: 'markdown', markdown: 'markdown', txt: 'text', text: 'text' },
}

/** The ending of a name says more than the type: browsers send Markdown as plain text or as bytes of any kind. */
export function documentType(name: string, mimeType: string): DocumentType | undefined {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return BY_ENDING[ending] ?? BY_TYPE[mimeType.split(';')[0]?.trim().toLowerCase() ?? '']
}
