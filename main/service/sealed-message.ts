import type { PromptState } from '../vault/open.ts'

const REMEDY: Readonly<Record<PromptState, string>> = {
  waiting: 'Answer the prompt.',
  repeated: 'Unlock it. Switchboard retries every 30 seconds.',
  on_request: 'You dismissed the keychain prompt. Select Ask again in the window.',
}

/** Why the vault is sealed, what to do, and the effects until then. */
export const sealedMessage = (problem: string, asking: PromptState): string =>
  `${problem} ${REMEDY[asking]} Until then, events wait and live numbers stay offline. Nothing is lost.`
