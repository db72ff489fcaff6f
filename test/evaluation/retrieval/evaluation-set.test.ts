import { expect, test } from 'vitest'
import { KINDS, LANGUAGES, loadEvaluationSet, type EvaluationPair } from './evaluation-set.ts'

const { pairs, documents } = loadEvaluationSet()
const answers = pairs.flatMap(({ id, business, answers }) =>
  answers.map(({ document, text }) => ({ id, document, text, content: documents.get(business)?.get(document) ?? '' })),
)
const allDocuments = [...documents].flatMap(([business, files]) =>
  [...files].map(([name, content]) => ({ path: `${business}/${name}`, content })),
)
const repeated = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index)

test('there are at least 200 pairs, with unique ids and no question twice', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(200)
  expect(repeated(pairs.map(({ id }) => id))).toEqual([])
  expect(repeated(pairs.map(({ question }) => question))).toEqual([])
})

test('every pair has the known fields, a known kind, language and business, and a question', () => {
  const fields = ['answers', 'business', 'id', 'kind', 'language', 'question']
  expect(pairs.filter((pair) => Object.keys(pair).toSorted().join() !== fields.join())).toEqual([])
  expect(pairs.filter(({ kind }) => !KINDS.includes(kind))).toEqual([])
  expect(pairs.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([])
  expect(pairs.filter(({ business }) => !documents.has(business))).toEqual([])
  expect(pairs.filter(({ question }) => question.trim() === '' || question !== question.trim())).toEqual([])
})

test('every answer is copied from its document, where it occurs once', () => {
  expect(answers.length).toBeGreaterThanOrEqual(160)
  const misplaced = answers.filter(({ text, content }) => text.trim() === '' || content.split(text).length !== 2)
  expect(misplaced.map(({ id, document, text }) => ({ id, document, text }))).toEqual([])
})

test('only unanswerable questions have no answer, and there are at least 40', () => {
  const withoutAnswer = pairs.filter((pair) => pair.answers.length === 0)
  expect(withoutAnswer.length).toBeGreaterThanOrEqual(40)
  expect(withoutAnswer).toEqual(pairs.filter(({ kind }) => kind === 'unanswerable'))
})

test.each(KINDS)('at least ten questions are %s', (kind) => {
  expect(pairs.filter((pair) => pair.kind === kind).length).toBeGreaterThanOrEqual(10)
})

test('kinds that show in the text are real: no accents, table rows and list items', () => {
  const ofKind = (kind: string) => pairs.filter((pair) => pair.kind === kind)
  const linesOf = ({ business, answers }: EvaluationPair) =>
    answers.map(({ document, text }) => {
      const content = documents.get(business)?.get(document) ?? ''
      return content.slice(content.lastIndexOf('\n', content.indexOf(text)) + 1)
    })
  const notIn = (kind: string, line: RegExp) => ofKind(kind).filter((pair) => !linesOf(pair).every((l) => line.test(l)))
  expect(ofKind('no_accents').filter(({ question }) => /\P{ASCII}/u.test(question))).toEqual([])
  expect(notIn('table', /^\|/)).toEqual([])
  expect(notIn('list_item', /^(- |\d+\. )/)).toEqual([])
})

test.each(LANGUAGES)('at least ten questions are in %s', (language) => {
  expect(pairs.filter((pair) => pair.language === language).length).toBeGreaterThanOrEqual(10)
})

test('every document has 300 to 3,000 words and answers a question', () => {
  expect(allDocuments.length).toBeGreaterThanOrEqual(30)
  const words = allDocuments.map(({ path, content }) => ({ path, count: content.trim().split(/\s+/u).length }))
  expect(words.filter(({ count }) => count < 300 || count > 3000)).toEqual([])
  const answering = new Set(answers.map(({ content }) => content))
  expect(allDocuments.filter(({ content }) => !answering.has(content)).map(({ path }) => path)).toEqual([])
})
