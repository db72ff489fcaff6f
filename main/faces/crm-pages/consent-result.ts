import type { ConsentResult } from '../../capabilities/crm/index.ts'
import { escape, page } from '../onboarding/layout.ts'
import { words } from './words.ts'

/** The page for a person who returns from GoHighLevel's consent page. */
export function consentResultPage({ language }: { readonly language: string }, result: ConsentResult): string {
  const said = words(language)
  if (result.kind === 'connected') {
    const { instance, location } = result
    return page(
      { language },
      said.title,
      body(said.title, said.connected(instance, location ?? 'GoHighLevel'), said.close, 'good'),
    )
  }
  const { heading, sentence } = said.failed[result.kind]
  return page({ language }, heading, body(heading, sentence, said.close, 'problem'))
}

const body = (heading: string, sentence: string, close: string, kind: 'good' | 'problem') =>
  `<h1>${escape(heading)}</h1>
<p class="${kind}"${kind === 'problem' ? ' role="alert"' : ''}>${escape(sentence)}</p>
<p>${escape(close)}</p>`
