import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { asProblem } from './problem.ts'

/** Long enough to see what was done, think, and reach the button. */
const OFFERED_MS = 8_000

/**
 * Says what was done and offers to take it back, once.
 * @returns `tell(title, undo)`; `undo` puts back what was there before.
 */
export function useUndo(): (title: string, undo: () => unknown) => void {
  const { t } = useI18n()
  const toast = useToast()

  async function takeBack(undo: () => unknown): Promise<void> {
    try {
      await undo()
      toast.add({ title: t('common.undone'), icon: 'i-lucide-undo-2', color: 'neutral', duration: 3_000 })
    } catch (error) {
      const { message } = asProblem(error)
      toast.add({ title: t('common.notUndone'), description: message, icon: 'i-lucide-triangle-alert', color: 'error' })
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
            void takeBack(undo)
          },
        },
      ],
    })
  }
}
