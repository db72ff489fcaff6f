/**
 * Meta's reasons for a rejection, and what to do. From Meta's page "Template review" and the codes of
 * `rejected_reason`.
 */
const HELP: Readonly<Record<string, string>> = {
  INVALID_FORMAT:
    'The format is wrong: a variable begins or ends the text, two variables are side by side, their numbers have gaps, ' +
    'or there are too few words around them. Change the text and submit it again.',
  ABUSIVE_CONTENT: 'The reviewers consider it abusive or threatening. Change the text and submit it again.',
  PROMOTIONAL: 'The text sells something, which only MARKETING templates may. Submit it with category MARKETING.',
  INCORRECT_CATEGORY: 'The text is of another category. Choose the category that it is about and submit it again.',
  TAG_CONTENT_MISMATCH:
    'The text does not fit its language or category. Write it in the language you chose, and submit it again.',
  SCAM: 'The reviewers consider it a scam. Do not ask for money, card numbers or passwords, and submit it again.',
}
const OTHER =
  'Meta gives no reason that is known here. Change the text and submit it again, or appeal in WhatsApp Manager.'

/** @returns null for a template that was not rejected. */
export const rejectionHelp = (reason: string | null): string | null =>
  reason === null ? null : Object.hasOwn(HELP, reason) ? (HELP[reason] ?? OTHER) : OTHER
