import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { sessionApi, onSignedOut, type Credential, type Session } from './api.ts'
import { useLive } from './live.ts'
import { signsInAsMember } from './preferences.ts'
import { asProblem, type Problem } from './problem.ts'
import { takeSignInCode } from './sign-in-code.ts'

/** Delay before the service is asked again if it gives none. */
const RETRY_SECONDS = 3

/**
 * The person using the window. The desktop app needs no sign-in; a browser signs in with a one-time link or a
 * password.
 */
export const useSession = defineStore('session', () => {
  const state = ref<'asking' | 'open' | 'closed' | 'unreachable'>('asking')
  const session = ref<Session>()
  const problem = ref<Problem>()
  /** The last refusal; undefined: none, or the service could not be asked. */
  const refused = ref<'link' | 'password'>()
  /** The session ended without the person's action: the page stays behind the sign-in, with all its input. */
  const isExpired = ref(false)
  /** Whether a password is set and can be asked for. */
  const hasPassword = ref(false)
  const live = useLive()
  // Incremented by every request about the session and by its end; outdated answers are ignored.
  let latest = 0
  /** The code of the link that opened the page, until the service accepts or refuses it. */
  const code = ref<string>()
  const hasLink = computed(() => code.value !== undefined)
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  /** The last user of this page. */
  let lastPerson: string | undefined
  // The refused request may be older than the current sign-in, so the session itself is checked. A page that waits
  // for a sign-in already knows, whatever it requests meanwhile.
  onSignedOut(() => void (state.value === 'closed' || look()))
  live.onNotice('account', () => void look())

  async function begin(): Promise<void> {
    code.value = takeSignInCode()
    await tryAgain()
  }

  /** Retries the link's code unless the service has refused it. */
  async function tryAgain(): Promise<void> {
    clearTimeout(retryTimer)
    if (code.value === undefined) return look()
    await signIn({ code: code.value })
    if (!hasLink.value) return
    askLater(problem.value?.retryAfterSeconds ?? RETRY_SECONDS)
  }

  function askLater(seconds: number): void {
    clearTimeout(retryTimer)
    retryTimer = setTimeout(() => void tryAgain(), seconds * 1_000)
  }

  async function look(): Promise<void> {
    const mine = ++latest
    try {
      const found = await sessionApi.get()
      if (mine === latest) open(found)
    } catch (error) {
      if (mine !== latest) return
      const found = asProblem(error)
      if (found.status === 401) {
        hasPassword.value = found.challenge?.includes('password') ?? false
        return expire()
      }
      problem.value = found
      // An open page stays, and reports itself that the service cannot be reached.
      if (state.value === 'asking') state.value = 'unreachable'
      if (state.value === 'unreachable') askLater(RETRY_SECONDS)
    }
  }

  const isOpen = (): boolean => state.value === 'open'

  async function signIn(credential: Credential): Promise<void> {
    refused.value = undefined
    try {
      await sessionApi.open(credential)
    } catch (error) {
      await look()
      if (isOpen()) return
      problem.value = asProblem(error)
      if (problem.value.status !== 401) return
      refused.value = 'code' in credential ? 'link' : 'password'
      if (refused.value === 'link') code.value = undefined
      return
    }
    await look()
  }

  async function signOut(): Promise<void> {
    try {
      await sessionApi.close()
    } catch {
      return look()
    }
    shut()
  }

  function open(found: Session): void {
    // The page's data belongs to the previous person.
    if (lastPerson !== undefined && lastPerson !== personOf(found)) return location.reload()
    lastPerson = personOf(found)
    session.value = found
    isExpired.value = false
    problem.value = undefined
    refused.value = undefined
    code.value = undefined
    state.value = 'open'
    signsInAsMember.value = found.role === 'member'
    live.start()
  }

  function expire(): void {
    const wasOpen = session.value !== undefined
    const kept = session.value
    shut()
    session.value = kept
    isExpired.value = wasOpen
  }

  function shut(): void {
    latest++
    live.end()
    hasPassword.value = session.value?.password_set ?? hasPassword.value
    session.value = undefined
    isExpired.value = false
    // The reason a sign-in failed stays on screen.
    if (state.value !== 'closed') problem.value = undefined
    state.value = 'closed'
  }

  return {
    ...{ state, session, isExpired, problem, refused, hasPassword, hasLink },
    ...{ begin, look, tryAgain, signIn, signOut },
  }
})

const personOf = ({ account, role, member }: Session): string => JSON.stringify([account.id, role, member])
