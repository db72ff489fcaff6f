import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { sessionApi, onSignedOut, type Credential, type Session } from './api.ts'
import { useLive } from './live.ts'
import { signsInAsMember } from './preferences.ts'
import { asProblem, type Problem } from './problem.ts'
import { takeSignInCode } from './sign-in-code.ts'

/** How long to wait before the service is asked again, if it does not say. */
const RETRY_SECONDS = 3

/** Who uses the window. The desktop app needs no sign-in; a browser signs in with a one-time link or a password. */
export const useSession = defineStore('session', () => {
  const state = ref<'asking' | 'open' | 'closed' | 'unreachable'>('asking')
  const session = ref<Session>()
  const problem = ref<Problem>()
  /** What the service refused; undefined: nothing, or it could not be asked. */
  const refused = ref<'link' | 'password'>()
  /** It ended without the person: the page stays behind the sign-in, with all that is typed in it. */
  const isExpired = ref(false)
  /** A password is set, so it can be asked for. */
  const hasPassword = ref(false)
  const live = useLive()
  // Raised by every request about the session and by its end: an overtaken answer is ignored.
  let latest = 0
  /** The code of the link the page was opened with, until the service accepts or refuses it. */
  const code = ref<string>()
  const hasLink = computed(() => code.value !== undefined)
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  /** Who used this page last. */
  let lastPerson: string | undefined
  // The refused request may be older than the current sign-in; only the session itself knows. A page that waits for a
  // sign-in knows already, whatever it goes on asking for.
  onSignedOut(() => void (state.value === 'closed' || look()))
  live.onNotice('account', () => void look())

  async function begin(): Promise<void> {
    code.value = takeSignInCode()
    await tryAgain()
  }

  /** Signs in with the link again, unless the service has refused it. */
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
      // A page that is open stays, and says itself that it cannot be reached.
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
    // What the page holds is for the person who was here.
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
