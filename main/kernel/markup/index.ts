export { markupOfMarkdown } from './from-markdown.ts'
export { plainText } from './plain-text.ts'
export { splitText } from './split.ts'
