import { computed, ref, watch, type Ref } from 'vue'
import { asProblem, type Problem } from './problem.ts'

interface DialogFormOptions<T, Field extends string> {
  /** Initial values of its fields. */
  readonly begin: () => T
  /** Errors of its fields, shown once a person has tried to submit. */
  readonly errors: (form: T) => Readonly<Record<Field, string | false>>
  /** @param before the problem of the previous attempt: if its answer was lost, it may have taken effect. */
  readonly save: (form: T, before: Problem | undefined) => unknown
  /** Whether it shows a result afterwards. */
  readonly staysOpen?: boolean
}

/** The form of a dialog: it is reset when the dialog opens, and closes after saving. */
export function useDialogForm<T extends object, Field extends string>(
  isOpen: Ref<boolean>,
  { begin, errors, save, staysOpen = false }: DialogFormOptions<T, Field>,
) {
  const form = ref(begin()) as Ref<T>
  const isTried = ref(false)
  const isBusy = ref(false)
  const problem = ref<Problem>()
  const wrong = computed(() => errors(form.value))

  watch(isOpen, (open) => {
    if (!open) return
    form.value = begin()
    isTried.value = false
    problem.value = undefined
  })

  async function submit(): Promise<void> {
    isTried.value = true
    if (Object.values(wrong.value).some((error) => error !== false)) return
    const before = problem.value
    isBusy.value = true
    problem.value = undefined
    try {
      await save(form.value, before)
      if (!staysOpen) isOpen.value = false
    } catch (error) {
      problem.value = asProblem(error)
    } finally {
      isBusy.value = false
    }
  }

  return { form, isTried, isBusy, problem, submit, errorOf: (field: Field) => isTried.value && wrong.value[field] }
}
