export { markupOfMarkdown } from './from-markdown.ts'
