import { useI18n } from 'vue-i18n'
import { EFFECTS, type Effect } from '../../main/contract/effects.ts'
import { useAccess } from './access.ts'

/**
 * @returns why the service refuses calls with an effect while the account is suspended or owes money; undefined: it
 * does not. The notice above every screen says how to fix it.
 */
export function useHeld(): (effect: Effect) => string | undefined {
  const { t } = useI18n()
  const access = useAccess()
  return (effect) => {
    const { closedWhenSuspended, closedWhenFrozen } = EFFECTS[effect]
    if (access.held === 'suspended' && closedWhenSuspended) return t('agency.held.suspended.offer')
    if (access.held === 'frozen' && closedWhenFrozen) return t('agency.held.frozen.offer')
    return undefined
  }
}
