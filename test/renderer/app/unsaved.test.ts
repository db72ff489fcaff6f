import { effectScope, nextTick, ref } from 'vue'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RouteLocationNormalized } from 'vue-router'
import { useSavedForm } from '../../../renderer/app/saved-form.ts'
import { useUnsavedDialog } from '../../../renderer/app/unsaved-dialog.ts'
import { hasUnsaved, mayLeave, mayNavigate, question, useUnsaved } from '../../../renderer/app/unsaved.ts'

/** The components of a screen. */
let scope = effectScope()
beforeEach(() => (scope = effectScope()))
afterEach(() => scope.stop())

const place = (path: string, query: Record<string, string> = {}) =>
  ({ path, query }) as never as RouteLocationNormalized
const typed = (
  text: string,
  more: { isAcrossTabs?: boolean; staysInWindow?: boolean; save?: () => Promise<unknown> } = {},
) => {
  const field = ref(text)
  scope.run(() => useUnsaved({ isDirty: () => field.value !== '', discard: () => (field.value = ''), ...more }))
  return field
}

describe('leaving a screen', () => {
  test('does not ask if nothing is typed', async () => {
    typed('')
    expect(await mayLeave()).toBe(true)
    expect(question.value).toBeUndefined()
  })

  test('keeps the text if the person continues editing', async () => {
    const field = typed('Half a sentence')
    const left = mayLeave()
    expect(question.value?.canSave).toBe(false)
    question.value?.answer('stay')
    expect(await left).toBe(false)
    expect(field.value).toBe('Half a sentence')
    expect(question.value).toBeUndefined()
  })

  test('does not ask about text that stays in the window, until the window closes', async () => {
    const draft = typed('Half a message', { staysInWindow: true })
    expect(hasUnsaved()).toBe(true)
    expect(await mayNavigate(place('/keys'), place('/messages'))).toBe(true)
    expect(await mayNavigate(place('/agents', { tab: 'b' }), place('/agents', { tab: 'a' }))).toBe(true)
    const left = mayLeave()
    question.value?.answer('discard')
    expect(await left).toBe(true)
    expect(draft.value).toBe('')
  })

  test('discards on request', async () => {
    const field = typed('Half a sentence')
    const left = mayLeave()
    question.value?.answer('discard')
    expect(await left).toBe(true)
    expect(field.value).toBe('')
  })

  test('saves on request, and stays if that fails', async () => {
    let isRefused = true
    const save = async () => {
      if (!isRefused) field.value = ''
    }
    const field = typed('All of it', { save })
    const refused = mayLeave()
    expect(question.value?.canSave).toBe(true)
    question.value?.answer('save')
    expect(await refused).toBe(false)
    isRefused = false
    const saved = mayLeave()
    question.value?.answer('save')
    expect(await saved).toBe(true)
  })

  test('offers to save only if every form can be saved', () => {
    typed('One', { save: async () => {} })
    typed('Another')
    void mayLeave()
    expect(question.value?.canSave).toBe(false)
    question.value?.answer('stay')
  })

  test('a second attempt to leave waits for the first answer', async () => {
    typed('Half a sentence')
    const first = mayLeave()
    expect(await mayLeave()).toBe(false)
    question.value?.answer('discard')
    expect(await first).toBe(true)
  })

  test('forgets the forms of a closed screen', () => {
    typed('Half a sentence')
    expect(hasUnsaved()).toBe(true)
    scope.stop()
    expect(hasUnsaved()).toBe(false)
  })
})

test.each([
  ['another screen', place('/keys'), true],
  ['another tab', place('/agents/1', { tab: 'try' }), true],
  ['another step', place('/agents/1', { step: 'people' }), true],
  ['a filter', place('/agents/1', { q: 'ana' }), false],
])('%s: asks %#', async (_, to, asks) => {
  typed('Half a sentence')
  const going = mayNavigate(to, place('/agents/1'))
  expect(question.value !== undefined).toBe(asks)
  question.value?.answer('discard')
  expect(await going).toBe(true)
})

test('a form across several tabs asks only when the screen is left', async () => {
  typed('Half a sentence', { isAcrossTabs: true })
  expect(await mayNavigate(place('/agents/1', { tab: 'try' }), place('/agents/1'))).toBe(true)
  const leaving = mayNavigate(place('/keys'), place('/agents/1'))
  expect(question.value).toBeDefined()
  question.value?.answer('stay')
  expect(await leaving).toBe(false)
})

describe('a dialog', () => {
  test('closes without asking only while nothing is typed', async () => {
    const isOpen = ref(true)
    const dialog = scope.run(() => useUnsavedDialog(isOpen))
    dialog?.touch()
    const closing = dialog?.setOpen(false)
    question.value?.answer('stay')
    await closing
    expect(isOpen.value).toBe(true)
    const again = dialog?.setOpen(false)
    question.value?.answer('discard')
    await again
    expect(isOpen.value).toBe(false)
    isOpen.value = true
    await nextTick()
    await dialog?.setOpen(false)
    expect(isOpen.value).toBe(false)
  })

  test('does not ask after its text was sent, and asks again if that failed', () => {
    const isOpen = ref(true)
    const dialog = scope.run(() => useUnsavedDialog(isOpen))
    dialog?.touch()
    dialog?.sent()
    expect(hasUnsaved()).toBe(false)
    dialog?.touch()
    expect(hasUnsaved()).toBe(true)
  })

  test('does not ask while it shows its result', async () => {
    const isOpen = ref(true)
    const isMade = ref(false)
    const dialog = scope.run(() => useUnsavedDialog(isOpen, () => isMade.value))
    dialog?.touch()
    isMade.value = true
    expect(hasUnsaved()).toBe(false)
  })
})

describe('a form over stored values', () => {
  function open(save: (form: { name: string }) => Promise<unknown>, isComplete?: (form: { name: string }) => boolean) {
    const saved = ref({ name: 'Ana' })
    const form = scope.run(() => useSavedForm(() => saved.value, save, isComplete && { isComplete }))
    if (form === undefined) throw new Error('The scope has ended.')
    return { saved, ...form }
  }

  test('shows what another window saves, unless it has changes', async () => {
    const { saved, form } = open(async () => {})
    saved.value = { name: 'Bia' }
    await nextTick()
    expect(form.value.name).toBe('Bia')
    form.value.name = 'Carla'
    saved.value = { name: 'Davi' }
    await nextTick()
    expect(form.value.name).toBe('Carla')
  })

  test('keeps text that is typed while it is being saved', async () => {
    let done = () => {}
    const { saved, form, isDirty, submit } = open(() => new Promise<void>((resolve) => (done = resolve)))
    form.value.name = 'Bia'
    const saving = submit()
    form.value.name = 'Bianca'
    saved.value = { name: 'Bia' }
    done()
    await saving
    expect(form.value.name).toBe('Bianca')
    expect(isDirty.value).toBe(true)
  })

  test('shows the new values, not the old ones, until they are loaded again', async () => {
    const { saved, form, isDirty, submit } = open(async () => {})
    form.value.name = ' Bia '
    await submit()
    expect(form.value.name).toBe(' Bia ')
    expect(isDirty.value).toBe(false)
    saved.value = { name: 'Bia' }
    await nextTick()
    expect(form.value.name).toBe('Bia')
    expect(isDirty.value).toBe(false)
  })

  test('stays unsaved if it is refused or incomplete', async () => {
    const refused = open(() => Promise.reject(new Error('no')))
    refused.form.value.name = 'Bia'
    await refused.submit()
    expect(refused.isDirty.value).toBe(true)
    expect(refused.problem.value).toBeDefined()
    const sent: unknown[] = []
    const partial = open(
      async (form) => sent.push(form),
      ({ name }) => name !== '',
    )
    partial.form.value.name = ''
    await partial.submit()
    expect(sent).toEqual([])
    expect(partial.isDirty.value).toBe(true)
  })
})
