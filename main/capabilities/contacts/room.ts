import type { Files } from '../../kernel/files.ts'
import type { Cursors } from '../../kernel/page.ts'
import { room } from '../room.ts'
import { contactsContract } from './contract.ts'
import { contactsExistence, contactsHandlers } from './handlers.ts'
import { createContacts, type ContactsDeps } from './index.ts'
import { rekeyContacts } from './unite.ts'

interface RoomDeps extends ContactsDeps {
  readonly cursors: Cursors
  readonly files: Pick<Files, 'storeTemporarily'>
}

export function contactsRoom(deps: RoomDeps) {
  const contacts = createContacts(deps)
  return room({
    name: 'contacts',
    contract: contactsContract,
    handlers: contactsHandlers({ ...deps, contacts }),
    existence: contactsExistence(contacts),
    api: contacts,
    recover: () => rekeyContacts(deps.db),
  })
}
