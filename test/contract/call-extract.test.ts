import { expect, test } from 'vitest'
import { extractOf } from '../../main/contract/call-extract.ts'

const line = (speaker: 'agent' | 'person', text: string) => ({ speaker, text, start_ms: 0, end_ms: 1_000 })

test('the first three questions of the person are quoted', () => {
  const asked = ['When?', ' Where? ', 'Who?', 'Why?'].map((text) => line('person', text))
  expect(extractOf([line('agent', 'How can I help?'), ...asked, line('person', 'Thanks.')])).toEqual({
    ...{ agentLines: 1, personLines: 5, quotes: ['When?', 'Where?', 'Who?'], areQuestions: true },
  })
})

test('without a question, the first thing that the person said is quoted', () => {
  const lines = [line('person', 'Hello.'), line('person', 'Goodbye.')]
  expect(extractOf(lines)).toMatchObject({ quotes: ['Hello.'], areQuestions: false })
  expect(extractOf([line('agent', 'Hello?')])).toMatchObject({ quotes: [], personLines: 0, areQuestions: false })
})
