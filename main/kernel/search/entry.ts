/** What can be found: a question with its answer, or a passage of a text. */
export type SearchEntry = {
  readonly id: string
  /** Of the question or the text, by the model that also embeds the queries. */
  readonly vector?: Float32Array | undefined
} & (
  | { readonly question: string; readonly answer: string }
  /** `headings`: what is above the text, from the name of its document to the nearest heading. */
  | { readonly text: string; readonly headings?: readonly string[] }
)
