import { brand, escape, layout } from './page-layout.ts'
import type { PageWords } from './page-words.ts'
import type { Location } from './store.ts'

/** The page on which a person allows or denies the app access to a location. */
export function consentPage(words: PageWords, locations: readonly Location[], action: string): string {
  const { heading, lead, location, agency, allow, deny } = words.consent
  const options = locations.map(({ id, name }) => `<option value="${id}">${escape(name)}</option>`).join('')
  return layout(
    words,
    heading,
    `<main class="card">${brand(words)}
<h1>${escape(heading)}</h1>
<p class="hint">${escape(lead)}</p>
<form method="post" action="${escape(action)}">
<label for="location">${escape(location)}</label>
<select id="location" name="location">${options}<option value="agency">${escape(agency)}</option></select>
<p class="row"><button class="main" name="decision" value="allow">${escape(allow)}</button>
<button name="decision" value="deny">${escape(deny)}</button></p>
</form></main>`,
  )
}

export const gonePage = (words: PageWords, sentence = words.gone) =>
  layout(words, words.product, `<main class="card">${brand(words)}<h1>${escape(sentence)}</h1></main>`)
