import type { PromptState } from '../vault/open.ts'

/** What a person does about a vault that does not open, by how it is asked. */
const REMEDY: Readonly<Record<PromptState, string>> = {
  waiting: 'Answer it.',
  repeated: 'Unlock it: it is asked every 30 seconds.',
  on_request: 'Its question was dismissed: have it asked again in the window.',
}

/** What a vault that does not open means for the person who looks after the service, and what to do. */
export const sealedMessage = (problem: string, asking: PromptState): string =>
  `${problem} ${REMEDY[asking]} Until then events wait, live numbers stay offline, and nothing is lost.`
