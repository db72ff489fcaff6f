import { shallowReactive } from 'vue'
import { asProblem } from './problem.ts'
import { useProblemToast } from './problem-toast.ts'
import { onPress, placeOf, pressBehind } from './presses.ts'
import { useProblemText } from './use-problem-text.ts'

/** Why a person's action failed, shown beside the button that they pressed. */
export interface CommandProblem {
  readonly id: number
  readonly place: Element
  /** Name of the object. */
  readonly name: string
  readonly title: string
  readonly text: string
}

let lastId = 0
const shown = shallowReactive(new Map<Element, CommandProblem>())

/** By the button beside which each is shown. */
export const commandProblems: ReadonlyMap<Element, CommandProblem> = shown

export function dismiss({ place }: Pick<CommandProblem, 'place'>): void {
  shown.delete(place)
}

/** Removes problems that are retried, and those of a screen that was left. @returns a function that stops this. */
export function watchCommandProblems(): () => void {
  const endPresses = onPress(([pressed]) => {
    // Opening a menu is not a retry.
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
 * @param about name of the object; default: the name of the screen.
 * @returns `showProblem` shows a failure beside the pressed button until it is retried or dismissed, or as a toast if
 * the button and its surroundings are gone. `showWords` does the same for an answer that is not an error.
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
