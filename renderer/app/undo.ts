import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { asProblem } from './problem.ts'
import { useProblemText } from './use-problem-text.ts'

/** Long enough to read, think and reach the button. */
const OFFERED_MS = 8_000

/**
 * Reports what was done and offers to undo it, once.
 * @returns `offerUndo(title, undo)`; `undo` restores the previous state.
 */
export function useUndo(): (title: string, undo: () => unknown) => void {
  const { t } = useI18n()
  const toast = useToast()
  const textOf = useProblemText()

  async function runUndo(title: string, undo: () => unknown): Promise<void> {
    try {
      await undo()
      toast.add({ title: t('common.undone'), icon: 'i-lucide-undo-2', color: 'neutral', duration: 3_000 })
    } catch (error) {
      const { text } = textOf(asProblem(error))
      // The button disappeared with its toast.
      const failed = { icon: 'i-lucide-triangle-alert', color: 'error', duration: 0 } as const
      toast.add({ ...failed, title: `${t('common.notUndone')}: ${title}`, description: text })
    }
  }

  return (title, undo) => {
    const { id } = toast.add({
      title,
      icon: 'i-lucide-check',
      color: 'neutral',
      duration: OFFERED_MS,
      orientation: 'horizontal',
      actions: [
        {
          label: t('common.undo'),
          icon: 'i-lucide-undo-2',
          color: 'neutral',
          variant: 'outline',
          onClick: () => {
            toast.remove(id)
            void runUndo(title, undo)
          },
        },
      ],
    })
  }
}
