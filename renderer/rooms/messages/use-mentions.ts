import { nextTick, ref, shallowRef, type Ref } from 'vue'
import { insertMention, matching, mentionQuery, type Member, type MentionQuery } from './mentions.ts'

interface MentionOptions {
  readonly text: Ref<string>
  readonly members: () => readonly Member[]
  readonly area: () => HTMLTextAreaElement | null
}

/** The list of people that opens while a mention is being typed. The focus stays in the text field. */
export function useMentions({ text, members, area }: MentionOptions) {
  const found = shallowRef<readonly Member[]>([])
  const active = ref(0)
  let query: MentionQuery | undefined

  function close(): void {
    found.value = []
    query = undefined
  }

  /** Called after the text or the caret has changed. */
  function look(): void {
    const field = area()
    query = field === null || members().length === 0 ? undefined : mentionQuery(field.value, field.selectionEnd)
    found.value = query === undefined ? [] : matching(members(), query.words)
    active.value = 0
  }

  function choose(member: Member): void {
    const field = area()
    if (field === null || query === undefined) return
    const next = insertMention(field.value, field.selectionEnd, query, member)
    text.value = next.text
    close()
    void nextTick(() => {
      field.focus()
      field.setSelectionRange(next.caret, next.caret)
    })
  }

  /** @returns true if the list handled the key. */
  function onKey(event: KeyboardEvent): boolean {
    const count = found.value.length
    if (count === 0) return false
    const member = found.value[active.value]
    if (event.key === 'ArrowDown') active.value = (active.value + 1) % count
    else if (event.key === 'ArrowUp') active.value = (active.value + count - 1) % count
    else if (event.key === 'Escape') close()
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && member) choose(member)
    else return false
    event.preventDefault()
    return true
  }

  return { found, active, look, close, choose, onKey }
}
