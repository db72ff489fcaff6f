import { useLocalStorage } from '@vueuse/core'

/** Whether the sidebar shows the group Developers. Kept in this browser. */
export const showsDeveloperTools = useLocalStorage('switchboard.developers', true)

/**
 * Whether the last person who signed in here was a member: the sign-in then starts with the members' form. The
 * operator’s form, with a command, is for the computer that runs Switchboard. Stored in this browser.
 */
export const signsInAsMember = useLocalStorage('switchboard.member', !isThisComputer(location.hostname))

function isThisComputer(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host)
}
