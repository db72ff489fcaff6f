import type { Files } from '../../kernel/files.ts'
import type { Jobs } from '../../kernel/jobs.ts'
import type { Log } from '../../kernel/log.ts'
import type { Cursors } from '../../kernel/page.ts'
import { instancesRoom } from '../instances/room.ts'
import { optOutsRoom } from '../opt-outs/room.ts'
import { defineRoom } from '../room.ts'
import { contactsContract } from './contract.ts'
import { contactsExistence, contactsHandlers } from './handlers.ts'
import { createContacts, type ContactsDeps } from './index.ts'
import { createMetaContactBook } from './meta-contact-book.ts'
import { rekeyContacts } from './unite.ts'

interface Deps extends Omit<ContactsDeps, 'instances' | 'optOuts'> {
  readonly jobs: Jobs
  readonly log: Log
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
}

export const contactsRoom = defineRoom({
  name: 'contacts',
  contract: contactsContract,
  uses: { instances: instancesRoom, optOuts: optOutsRoom },
  build(given: Deps, rooms) {
    const deps = { ...given, ...rooms }
    const contacts = createContacts(deps)
    const metaContactBook = createMetaContactBook(deps)
    return {
      handlers: contactsHandlers({ ...deps, contacts, metaContactBook }),
      existence: contactsExistence(contacts),
      api: contacts,
      recover: () => rekeyContacts(given.db),
      movePerson: contacts.movePerson,
    }
  },
})
