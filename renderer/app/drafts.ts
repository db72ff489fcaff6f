import { defineStore } from 'pinia'
import { computed, shallowReactive, type WritableComputedRef } from 'vue'
import { useUnsaved } from './unsaved.ts'

/** Text of small fields, by what it is for. It stays whatever screen is shown. */
const useDrafts = defineStore('drafts', () => {
  const texts = shallowReactive(new Map<string, string>())
  useUnsaved({ isDirty: () => texts.size > 0, staysInWindow: true, discard: () => texts.clear() })
  return { texts }
})

/**
 * The text of a field that keeps what is typed until it is sent.
 * @param key what the text is for, such as `ai.try/<agent>`. Its field may change to another.
 * @param initial what the field shows before somebody types.
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
