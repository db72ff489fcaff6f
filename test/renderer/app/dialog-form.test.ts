import { effectScope, nextTick, ref } from 'vue'
import { afterEach, expect, test, vi } from 'vitest'
import { useDialogForm } from '../../../renderer/app/dialog-form.ts'

const scope = effectScope()
afterEach(() => vi.restoreAllMocks())

function dialog(save: (form: { name: string }) => unknown, staysOpen = false) {
  const isOpen = ref(false)
  const made = scope.run(() =>
    useDialogForm(isOpen, {
      begin: () => ({ name: '' }),
      errors: ({ name }) => ({ name: name === '' && 'Enter a name.' }),
      save,
      staysOpen,
    }),
  )
  if (made === undefined) throw new Error('The scope has ended.')
  return { isOpen, ...made }
}
async function opened(...args: Parameters<typeof dialog>) {
  const one = dialog(...args)
  one.isOpen.value = true
  await nextTick()
  return one
}

test('shows what is wrong on submit and sends nothing', async () => {
  const save = vi.fn()
  const { errorOf, submit, isOpen } = await opened(save)
  expect(errorOf('name')).toBe(false)
  await submit()
  expect(errorOf('name')).toBe('Enter a name.')
  expect(save).not.toHaveBeenCalled()
  expect(isOpen.value).toBe(true)
})

test('closes after saving, unless it shows a result', async () => {
  for (const staysOpen of [false, true]) {
    const save = vi.fn()
    const { form, submit, isOpen } = await opened(save, staysOpen)
    form.value.name = 'Ana'
    await submit()
    expect(save).toHaveBeenCalledWith({ name: 'Ana' }, undefined)
    expect(isOpen.value).toBe(staysOpen)
  }
})

test('passes the last failure to the next attempt', async () => {
  const save = vi.fn(() => {
    throw new Error('refused')
  })
  const { form, submit } = await opened(save)
  form.value.name = 'Ana'
  await submit()
  await submit()
  expect(save).toHaveBeenLastCalledWith({ name: 'Ana' }, expect.objectContaining({ code: 'window' }))
})

test('stays open with its text after a refusal, and is empty the next time', async () => {
  const { form, submit, problem, isBusy, isOpen } = await opened(() => {
    throw new Error('refused')
  })
  form.value.name = 'Ana'
  await submit()
  expect(problem.value).toBeDefined()
  expect([isBusy.value, isOpen.value, form.value.name]).toEqual([false, true, 'Ana'])
  isOpen.value = false
  await nextTick()
  isOpen.value = true
  await nextTick()
  expect([problem.value, form.value.name]).toEqual([undefined, ''])
})
