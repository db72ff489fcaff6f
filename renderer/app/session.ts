import { defineStore } from 'pinia'
import { ref } from 'vue'
import { sessionApi, whenSignedOut, type Session } from './api.ts'
import { useLive } from './live.ts'
import { asProblem, type Problem } from './problem.ts'
import { takeSignInCode } from './sign-in-code.ts'

/** Who is at the window. The desktop app needs no sign-in; headless has a one-time link or a password. */
export const useSession = defineStore('session', () => {
  const state = ref<'asking' | 'open' | 'closed' | 'unreachable'>('asking')
  const session = ref<Session>()
  const problem = ref<Problem>()
  const live = useLive()
  whenSignedOut(() => shut())
  live.onNotice('account', () => void look())

  async function begin(): Promise<void> {
    const code = takeSignInCode()
    if (code !== undefined) await signIn({ code })
    else await look()
  }

  async function look(): Promise<void> {
    try {
      session.value = await sessionApi.get()
      problem.value = undefined
      state.value = 'open'
      live.start()
    } catch (error) {
      const found = asProblem(error)
      if (found.status === 401) return shut()
      problem.value = found
      state.value = 'unreachable'
    }
  }

  async function signIn(credential: { code: string } | { password: string }): Promise<void> {
    try {
      await sessionApi.open(credential)
    } catch (error) {
      await look()
      if (state.value !== 'open') problem.value = asProblem(error)
      return
    }
    await look()
  }

  async function signOut(): Promise<void> {
    await sessionApi.close()
    shut()
  }

  function shut(): void {
    live.end()
    session.value = undefined
    problem.value = undefined
    state.value = 'closed'
  }

  return { state, session, problem, begin, look, signIn, signOut }
})
