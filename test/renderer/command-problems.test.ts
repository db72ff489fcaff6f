import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Nobody pressed a button there, or the button was part of what is gone. */
const TOASTS = [
  // Asked for with a key, from any screen.
  'rooms/instances/ActionDialogs.vue',
  'app/command-problems.ts',
  'app/lost-screen.ts',
  'app/problem-toast.ts',
  'app/undo.ts',
  'parts/use-attention.ts',
]

const FOLDER = new URL('../../renderer/', import.meta.url)
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|vue)$/.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(file, FOLDER), 'utf8') }))

test('shows a failure beside its button, and as a toast only without a button', () => {
  const found = sources.filter(
    ({ text }) =>
      /useProblemToast|toast\.add\(\{[^}]*color: '(error|warning)'/s.test(text) || /\.\.\.failed,/.test(text),
  )
  expect(found.map(({ file }) => file).toSorted()).toEqual(TOASTS.toSorted())
})
