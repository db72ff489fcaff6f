/** What a vault that does not open means for the person who looks after the service, and what to do. */
export const sealedSentence = (problem: string): string =>
  `${problem} Unlock it: it is asked every 30 seconds. Until then events wait, live numbers stay offline, and nothing is lost.`
