import { useI18n } from 'vue-i18n'
import type { ApprovalRecord } from '../../../main/capabilities/approvals/contract.ts'
import { findOperation } from '../../app/api.ts'

/** @returns what an assistant wants to do, in the window's language; the record names the objects. */
export function useActText(): (record: Pick<ApprovalRecord, 'operation'>) => string {
  const { t, te } = useI18n()
  return ({ operation }) => {
    const words = `assistants.act.${findOperation(operation) ?? 'other'}`
    return te(words) ? t(words) : t('assistants.act.other')
  }
}
