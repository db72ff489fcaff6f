import { shallowReactive } from 'vue'
import { asProblem } from './problem.ts'
import { useProblemToast } from './problem-toast.ts'
import { onPress, placeOf, pressBehind } from './presses.ts'
import { useProblemText } from './use-problem-text.ts'

/** Why something was not done that a person asked for, beside the button that they pressed. */
export interface CommandProblem {
  readonly id: number
  readonly place: Element
  /** What it was about. */
  readonly name: string
  readonly title: string
  readonly text: string
}

let lastId = 0
const shown = shallowReactive(new Map<Element, CommandProblem>())

/** By the button that each is beside. */
export const commandProblems: ReadonlyMap<Element, CommandProblem> = shown

export function dismiss({ place }: Pick<CommandProblem, 'place'>): void {
  shown.delete(place)
}

/** Removes what is tried again, and what is about a screen that was left. @returns ends it. */
export function watchCommandProblems(): () => void {
  const endPresses = onPress(([pressed]) => {
    // Opening a menu tries nothing yet.
    if (pressed !== undefined && pressed.ariaExpanded !== 'false') shown.delete(pressed)
  })
  const observer = new MutationObserver(() => {
    for (const place of shown.keys()) if (!place.isConnected) shown.delete(place)
  })
  observer.observe(document.body, { childList: true, subtree: true })
  return () => {
    endPresses()
    observer.disconnect()
    shown.clear()
  }
}

interface Words {
  readonly title: string
  readonly text: string
}

/**
 * For commands without a form of their own.
 * @param about the name of what they are about; without one, it is the name of the screen.
 * @returns `showProblem` shows why one failed beside the button that was pressed, until it is tried again or dismissed. A
 * toast says it if the button is gone with everything that it was in. `showWords` does the same for an answer that is no
 * error.
 */
export function useCommandProblem(about?: () => string) {
  const textOf = useProblemText({ isCommand: true })
  const showToast = useProblemToast()

  function showWords({ title, text }: Words, name = about?.() ?? ''): boolean {
    return show(placeOf(pressBehind(undefined)), { title, text }, name)
  }
  function showProblem(error: unknown, name = about?.() ?? ''): void {
    if (!show(placeOf(pressBehind(error)), textOf(asProblem(error)), name)) showToast(error)
  }
  return { showProblem, showWords }
}

function show(place: Element | undefined, { title, text }: Words, name: string): boolean {
  if (place === undefined) return false
  shown.set(place, { id: ++lastId, place, name: name === '' ? screenName() : name, title, text })
  return true
}

const screenName = (): string => document.querySelector('h1')?.textContent.trim() ?? ''
