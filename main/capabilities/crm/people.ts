import type { Db } from '../../kernel/db.ts'
import { dialledNumber, spellingsOf } from '../../kernel/phone-number.ts'
import type { Person } from './bridge.ts'
import type { CrmDeps } from './deps.ts'
import type { CrmLink } from './links.ts'

/** All spellings of a number, the current one first: the CRM may know the person under any of them. */
export function numbersOf(digits: string): { readonly phone: string; readonly all: readonly string[] } {
  const phone = dialledNumber(digits)
  return { phone, all: [...new Set([phone, ...spellingsOf(digits)])] }
}

interface PeopleDeps extends Pick<CrmDeps, 'contacts' | 'optOuts' | 'instances'> {
  readonly db: Pick<Db, 'read' | 'readOne'>
}

/** The data about a person that a CRM gets. */
export function createPeople({ db, contacts, optOuts, instances }: PeopleDeps) {
  const outside = { one: db.readOne, all: db.read }

  return async (link: CrmLink, number: string): Promise<Person> => {
    const { accountId, instanceId } = link
    const { phone, all } = numbersOf(number)
    const contact = await contacts.find(accountId, number)
    const [detail] = contact === undefined ? [] : await contacts.detail(accountId, [contact])
    const instance = await instances.find(outside, accountId, instanceId)
    return {
      phone,
      spellings: all,
      values: {
        name: contact?.givenName ?? contact?.pushName ?? '',
        profile_name: contact?.pushName ?? '',
        tags: detail?.tags ?? [],
        instance_name: instance?.name ?? '',
        instance_number: instance?.phoneNumber ?? '',
      },
      isOptedOut: link.sync.dnd && (await optOuts.isOptedOut(outside, accountId, instanceId, number)),
    }
  }
}
