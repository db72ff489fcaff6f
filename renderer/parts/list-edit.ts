import { nextTick, type Ref } from 'vue'

/**
 * Edits a list owned by the caller.
 * @param list its element: the field of a new entry gets the focus.
 */
export function useListEdit<T>(
  items: () => readonly T[],
  update: (items: readonly T[]) => void,
  list: Readonly<Ref<HTMLElement | null>>,
) {
  return {
    set: (index: number, item: T) => update(items().with(index, item)),
    remove: (index: number) => update(items().toSpliced(index, 1)),
    async add(item: T): Promise<void> {
      update([...items(), item])
      await nextTick()
      list.value?.querySelector<HTMLInputElement>('li:last-child input')?.focus()
    },
  }
}
