import { useI18n } from 'vue-i18n'
import { useAccess } from '../../app/access.ts'
import { clientAccountId } from '../../app/account.ts'
import { useBrand } from '../../app/brand.ts'
import { useSession } from '../../app/session.ts'
import type { Act } from './act-lines.ts'

/** The text of an act. In a client's log, the operator is its agency, and "a client" is this account. */
export function useActText() {
  const { t, te } = useI18n()
  const access = useAccess()
  const session = useSession()
  const brand = useBrand()

  const isAboutHere = ({ operation, subject_id: id }: Act): boolean =>
    id !== null && id === (clientAccountId ?? session.session?.account.id) && te(`audit.didHere.${operation}`)
  /** @returns the name of a kind of actor from the reader's point of view. */
  function actorText(actor: Act['actor']): string {
    if (actor !== 'operator' || access.audience() !== 'client') return t(`audit.actor.${actor}`)
    return brand.branding?.display_name ?? t('audit.agency')
  }
  return {
    isAboutHere,
    actorText,
    /** For an operation of a later version, only the service's text exists. */
    said(act: Act): string {
      if (isAboutHere(act)) return t(`audit.didHere.${act.operation}`)
      return te(`audit.did.${act.operation}`) ? t(`audit.did.${act.operation}`) : act.summary
    },
    who: (act: Act): string => act.actor_name || actorText(act.actor),
  }
}
