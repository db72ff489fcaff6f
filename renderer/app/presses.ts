/** A pressed element and its ancestors, innermost first. */
export type Press = readonly Element[]

const PRESSABLE =
  'button, a[href], summary, input, select, textarea, label, [role=button], [role=switch], [role=menuitem], [role=option]'

let latest: Press | undefined
const listeners = new Set<(press: Press) => void>()
const causes = new WeakMap<object, Press>()

/** Records every pressed button, by pointer or key, before any handler runs. @returns a function that stops it. */
export function watchPresses(root: Pick<Document, 'addEventListener' | 'removeEventListener'> = document): () => void {
  const note = (event: Event): void => {
    if (event instanceof KeyboardEvent && event.key !== 'Enter' && event.key !== ' ') return
    const press = pressOn(event.target)
    if (press === undefined) return
    latest = press
    for (const listener of listeners) listener(press)
  }
  const types = ['pointerdown', 'keydown', 'click', 'change'] as const
  for (const type of types) root.addEventListener(type, note, true)
  return () => types.forEach((type) => root.removeEventListener(type, note, true))
}

/** @returns a function that stops it. */
export function onPress(listener: (press: Press) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The last pressed element: when a request starts, it caused the request. */
export const latestPress = (): Press | undefined => latest

export function rememberPress(problem: object, press: Press | undefined): void {
  if (press !== undefined) causes.set(problem, press)
}

/** The element pressed before something failed. */
export const pressBehind = (error: unknown): Press | undefined =>
  (typeof error === 'object' && error !== null ? causes.get(error) : undefined) ?? latest

/** A press in a menu or list counts for the button that opened it, because that stays. */
function pressOn(target: EventTarget | null): Press | undefined {
  if (!(target instanceof Element)) return undefined
  let pressed = target.closest(PRESSABLE)
  for (let list = listAround(pressed); list !== null; list = listAround(pressed)) {
    const opener = openerOf(list)
    if (opener === null) break
    pressed = opener
  }
  return pressed === null ? undefined : chainOf(pressed)
}

const listAround = (pressed: Element | null) => pressed?.closest('[role=menu], [role=listbox]') ?? null

function openerOf(list: Element): Element | null {
  const label = list.getAttribute('aria-labelledby')
  return (
    (label === null ? null : document.getElementById(label)) ??
    (list.id === '' ? null : document.querySelector(`[aria-controls="${CSS.escape(list.id)}"]`))
  )
}

function chainOf(pressed: Element): Press {
  const chain: Element[] = []
  for (let on: Element | null = pressed; on !== null && !on.matches('main, body'); on = on.parentElement) chain.push(on)
  return chain
}

/** Where a note about it is shown: at the button, or at the remaining surroundings once it is gone. */
export const placeOf = (press: Press | undefined): Element | undefined =>
  press?.find((element) => element.isConnected && element.checkVisibility())
