import { brand, escape, layout } from './page-layout.ts'
import type { PageWords } from './page-words.ts'
import type { Location } from './store.ts'
import type { Contact, Message } from './thread-store.ts'

interface InboxView {
  /** The path of the account's pages. */
  readonly base: string
  readonly locations: readonly Location[]
  readonly location: Location
  readonly contacts: readonly Contact[]
  readonly chosen: Contact | undefined
  readonly problem: string | undefined
}

/** The page on which one writes as a CRM user. */
export function inboxPage(words: PageWords, view: InboxView): string {
  const { base, locations, location, contacts, chosen, problem } = view
  const link = (query: Record<string, string>) => `${base}/inbox?${escape(new URLSearchParams(query).toString())}`
  const places = locations.map(
    ({ id, name }) =>
      `<li><a href="${link({ location: id })}"${id === location.id ? ' aria-current="page"' : ''}>${escape(name)}</a></li>`,
  )
  const list = contacts.map((contact) => {
    const isChosen = contact.id === chosen?.id
    const unread = contact.unread > 0 && !isChosen ? ` (${contact.unread})` : ''
    return `<li><a href="${link({ location: location.id, conversation: contact.conversationId })}"${isChosen ? ' aria-current="true"' : ''}>${escape(nameOf(words, contact))}${unread}</a></li>`
  })
  return layout(
    words,
    words.inbox,
    `<div class="inbox"><nav aria-label="${escape(words.conversations)}">${brand(words)}
<ul class="list">${places.join('')}</ul>
<h2>${escape(words.conversations)}</h2>
${list.length === 0 ? `<p class="hint">${escape(words.none)}</p>` : `<ul class="list">${list.join('')}</ul>`}
${newContact(words, base, location, problem)}
<details><summary>${escape(words.uninstall)}</summary>
<form method="post" action="${base}/uninstall"><input type="hidden" name="location" value="${location.id}">
<p class="hint">${escape(words.uninstallHint)}</p><button>${escape(words.uninstall)}</button></form></details>
<details><summary>${escape(words.token)}</summary><p><code>${escape(location.privateToken)}</code></p><p class="hint">${location.id}</p></details>
</nav><main><h1>${escape(chosen === undefined ? words.inbox : nameOf(words, chosen))}</h1>
${chosen === undefined ? `<p class="hint">${escape(words.choose)}</p>` : conversation(words, base, chosen)}
</main></div>`,
  )
}

const nameOf = (words: PageWords, { name, phone }: Contact): string => name ?? phone ?? words.noPhone

function newContact(words: PageWords, base: string, location: Location, problem: string | undefined): string {
  return `<details${problem === undefined ? '' : ' open'}><summary>${escape(words.newContact)}</summary>
<form method="post" action="${base}/contacts"><input type="hidden" name="location" value="${location.id}">
<label for="phone">${escape(words.phone)}</label><input id="phone" name="phone" inputmode="tel" autocomplete="off"${problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'}>
${problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${escape(problem)}</p>`}
<label for="name">${escape(words.name)}</label><input id="name" name="name" autocomplete="off">
<button>${escape(words.add)}</button></form></details>`
}

function conversation(words: PageWords, base: string, contact: Contact): string {
  const isOff = contact.dnd === 1
  return `<div class="row"><span class="hint">${escape(contact.phone ?? words.noPhone)}</span>${isOff ? `<span class="tag">${escape(words.dnd)}</span>` : ''}
<form method="post" action="${base}/dnd"><input type="hidden" name="contact" value="${contact.id}"><input type="hidden" name="dnd" value="${isOff ? 'off' : 'on'}"><button>${escape(isOff ? words.dndOff : words.dndOn)}</button></form></div>
<iframe title="${escape(words.thread)}" src="${base}/thread?conversation=${contact.conversationId}#newest"></iframe>
<form method="post" action="${base}/inbox" enctype="multipart/form-data"><input type="hidden" name="conversation" value="${contact.conversationId}">
<label for="text">${escape(words.message)}</label><textarea id="text" name="text" rows="3" autofocus></textarea>
<label for="file">${escape(words.file)}</label><input id="file" name="file" type="file">
<button class="main">${escape(words.send)}</button></form>`
}

/**
 * The messages of a conversation; the page reloads itself every three seconds.
 * @param next URL of the reload, which must differ: with a fragment, a browser would not reload the same one.
 */
export function threadPage(words: PageWords, base: string, messages: readonly Message[], next: string): string {
  const items = messages.map((message) => {
    const { direction, text, status, error, dateMs } = message
    const files = (JSON.parse(message.attachments) as string[]).map((url) => attachment(base, url)).join(' ')
    const state = direction === 'outbound' ? ` · ${words.status[status]}` : ''
    const at = new Date(dateMs).toISOString().slice(0, 16).replace('T', ' ')
    return `<li class="${direction === 'outbound' ? 'out' : 'in'}">${escape(text)}${files}<small${status === 'failed' ? ' class="failed"' : ''}>${at}${state}${error === null ? '' : `: ${escape(error)}`}</small></li>`
  })
  return layout(
    words,
    words.thread,
    `<ol class="messages">${items.join('')}</ol><span id="newest"></span>`,
    `<meta http-equiv="refresh" content="3;url=${escape(next)}">`,
  )
}

function attachment(base: string, url: string): string {
  const [, id, name] = /^https:\/\/ghl\.sandbox\/files\/([A-Za-z0-9]+)\/(.*)$/.exec(url) ?? []
  const href = id === undefined ? url : `${base}/files/${id}`
  return ` <a href="${escape(href)}" target="_blank" rel="noreferrer">${escape(decodeURIComponent(name ?? url.split('/').at(-1) ?? url))}</a>`
}
