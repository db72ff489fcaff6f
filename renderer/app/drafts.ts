import { defineStore } from 'pinia'
import { computed, shallowReactive, type WritableComputedRef } from 'vue'
import { useUnsaved } from './unsaved.ts'

/** Text of small fields, by purpose. Kept while other screens are shown. */
const useDrafts = defineStore('drafts', () => {
  const texts = shallowReactive(new Map<string, string>())
  useUnsaved({ isDirty: () => texts.size > 0, staysInWindow: true, discard: () => texts.clear() })
  return { texts }
})

/**
 * The text of a field that is kept until it is sent.
 * @param key purpose of the text, such as `ai.try/<agent>`. It may change for a field.
 * @param initial initial text of the field.
 */
export function useDraft(key: () => string, initial: () => string = () => ''): WritableComputedRef<string> {
  const { texts } = useDrafts()
  return computed({
    get: () => texts.get(key()) ?? initial(),
    set(text) {
      if (text === initial()) texts.delete(key())
      else texts.set(key(), text)
    },
  })
}
