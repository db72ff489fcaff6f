import { useI18n } from 'vue-i18n'
import { addressText } from '../messages/number.ts'
import type { Contact } from './store.ts'

/** A contact's number, otherwise the username, and never an id of the network. */
export function useContactAddress(): (contact: Pick<Contact, 'phone' | 'identities'>) => string {
  const { t } = useI18n()
  return ({ phone, identities }) => {
    const valueOf = (wanted: string) => identities.find(({ kind }) => kind === wanted)?.value ?? null
    return addressText(phone, { number: valueOf('phone'), username: valueOf('username') }) ?? t('common.numberHidden')
  }
}
