import type { Migration } from '../migrate.ts'
import { ledger } from './001-ledger.ts'
import { accounts } from './002-accounts.ts'
import { instances } from './003-instances.ts'
import { messages } from './004-messages.ts'
import { webhooks } from './005-webhooks.ts'
import { sandbox } from './006-sandbox.ts'
import { approvals } from './013-approvals.ts'

/** Every step of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [ledger, accounts, instances, messages, webhooks, sandbox, approvals]
