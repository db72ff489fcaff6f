import { createPinia, disposePinia, setActivePinia } from 'pinia'
import { ref } from 'vue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RouteLocationNormalized } from 'vue-router'
import { useDraft } from '../../../renderer/app/drafts.ts'
import { hasUnsaved, mayNavigate } from '../../../renderer/app/unsaved.ts'

let pinia = createPinia()
beforeEach(() => setActivePinia((pinia = createPinia())))
afterEach(() => disposePinia(pinia))

test('restores the text of a field when it is shown again', () => {
  useDraft(() => 'ai.try/reception').value = 'Are you open?'
  expect(useDraft(() => 'ai.try/reception').value).toBe('Are you open?')
  expect(useDraft(() => 'ai.try/sales').value).toBe('')
})

test('shows the text of the new subject when a field is reused', () => {
  const agent = ref('reception')
  const text = useDraft(() => `ai.try/${agent.value}`)
  text.value = 'Are you open?'
  agent.value = 'sales'
  expect(text.value).toBe('')
  agent.value = 'reception'
  expect(text.value).toBe('Are you open?')
})

test('asks when the window closes, not when another screen opens', async () => {
  const place = (path: string) => ({ path, query: {} }) as never as RouteLocationNormalized
  const text = useDraft(() => 'softphone')
  text.value = '+1 202'
  expect(await mayNavigate(place('/calls'), place('/softphone'))).toBe(true)
  expect(hasUnsaved()).toBe(true)
  text.value = ''
  expect(hasUnsaved()).toBe(false)
})

test('a field with an initial text is unsaved if it differs, even if it is empty', () => {
  const name = useDraft(
    () => 'welcome',
    () => 'My workspace',
  )
  expect(name.value).toBe('My workspace')
  name.value = ''
  expect(name.value).toBe('')
  expect(hasUnsaved()).toBe(true)
  name.value = 'My workspace'
  expect(hasUnsaved()).toBe(false)
})
