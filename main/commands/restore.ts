import type { ControlRequest } from '../faces/control.ts'
import { formatBytes } from '../kernel/format-bytes.ts'
import { JSON_OPTION, parseArguments } from './arguments.ts'
import { CommandError, type Terminal } from './terminal.ts'

export const RESTORE_USAGE = `Usage: npm run restore [-- --json]                 lists the backups
       npm run restore -- NAME|latest --yes [--json]  replaces the database with a backup
       latest is the newest intact backup. Newer ones that can't be used are named, with the reason.`

interface BackupRow {
  readonly name: string
  readonly made_at: string
  readonly reason: string
  readonly bytes: number
  readonly state: 'usable' | 'newer' | 'foreign' | 'unreadable'
}

/** Result of searching for the newest intact backup. */
interface IntactBackup {
  readonly copy: { readonly name: string } | undefined
  readonly rejected: readonly { readonly name: string; readonly reason: keyof typeof REASONS }[]
}

/** Why a backup can't be used. */
const REASONS = {
  damaged: 'is damaged',
  newer: 'was created by a newer Switchboard',
  foreign: 'belongs to another home folder',
  unreadable: 'is not a readable backup',
} as const

interface Preview {
  readonly gone: Readonly<Record<keyof typeof GONE, number>>
  readonly kept: Readonly<Record<keyof typeof KEPT, number>>
  readonly signed_out: number
  readonly paused_campaigns: readonly { readonly name: string }[]
}

/** Singular and plural. */
const GONE = {
  messages: ['message', 'messages'],
  instances: ['instance', 'instances'],
  clients: ['client', 'clients'],
  webhooks: ['webhook', 'webhooks'],
  api_keys: ['API key', 'API keys'],
  members: ['member', 'members'],
  contacts: ['contact', 'contacts'],
  access_links: ['access link', 'access links'],
  ai_agents: ['AI agent', 'AI agents'],
  faq: ['FAQ entry', 'FAQ entries'],
  documents: ['document', 'documents'],
  planned_calls: ['planned call', 'planned calls'],
  voice_widgets: ['widget', 'widgets'],
  crm_connections: ['CRM connection', 'CRM connections'],
} as const
const KEPT = {
  opt_outs: ['opt-out', 'opt-outs'],
  revocations: ['revocation', 'revocations'],
  payments: ['payment', 'payments'],
  transfers: ['transfer', 'transfers'],
} as const

interface Outcome {
  readonly name: string
  readonly safety_copy: string | null
  readonly problem: string | null
}

/**
 * Lists the backups, or restores one.
 * @param carryOut calls the running service, or opens the home folder; each call opens it again.
 * @param newestWhole checks the backups in this process, so that a running service is not slowed down.
 */
export async function restoreCommand(
  argv: readonly string[],
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
  newestWhole: () => IntactBackup,
): Promise<void> {
  const options = { ...JSON_OPTION, yes: { type: 'boolean', default: false } } as const
  const { json, yes, words } = parseArguments(argv, { usage: RESTORE_USAGE, options, words: 1 })
  const [name] = words
  const { data } = (await carryOut({ command: 'backup.list', input: {} })) as { data: BackupRow[] }
  if (name === undefined) return list(data, json, terminal)
  const chosen = choose(data, name === 'latest' ? newestIntact(newestWhole(), terminal) : name)
  if (!yes) {
    const preview = await carryOut({ command: 'restore.preview', input: { name: chosen.name } }).then(
      (found) => describe(found as Preview),
      // An older or damaged backup cannot be compared; the restore itself checks whether it is usable.
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    throw new CommandError(
      `This replaces the database with ${chosen.name} from ${chosen.made_at}. The current state is backed up first.\n` +
        `${preview}\nTo confirm, repeat the command with --yes.`,
    )
  }
  await restore(chosen.name, json, carryOut, terminal)
}

function describe({ gone, kept, signed_out: signedOut, paused_campaigns: campaigns }: Preview): string {
  const counts = <K extends string>(
    words: Readonly<Record<K, readonly [string, string]>>,
    of: Readonly<Record<K, number>>,
  ) =>
    (Object.keys(words) as K[])
      .filter((key) => of[key] > 0)
      .map((key) => `${of[key]} ${words[key][of[key] === 1 ? 0 : 1]}`)
      .join(', ') || 'nothing'
  return [
    `Removed, because it was created since: ${counts(GONE, gone)}. Changes made since are undone.`,
    `Kept: ${counts(KEPT, kept)} added since. Nobody gets the same campaign message twice.`,
    `Numbers deleted since, which come back signed out: ${signedOut || 'none'}.`,
    `Campaigns that stay paused: ${campaigns.map((campaign) => campaign.name).join(', ') || 'none'}.`,
    'Calls, follow-ups, AI replies and CRM updates that were due in the backup are not sent.',
  ].join('\n')
}

function list(backups: readonly BackupRow[], isJson: boolean, terminal: Terminal): void {
  if (isJson) return terminal.out(JSON.stringify({ data: backups }))
  if (backups.length === 0) return terminal.out('No backups yet. Create one with: npm run backup')
  for (const { name, made_at, reason, bytes, state } of backups) {
    terminal.out(`${name}  ${made_at}  ${reason}  ${formatBytes(bytes)}${state === 'usable' ? '' : `  (${state})`}`)
  }
}

function newestIntact({ copy, rejected }: IntactBackup, terminal: Terminal): string {
  for (const { name, reason } of rejected) terminal.err(`Skipped ${name}: it ${REASONS[reason]}.`)
  if (copy === undefined) throw new CommandError('No usable backup found.')
  return copy.name
}

function choose(backups: readonly BackupRow[], name: string): BackupRow {
  const found = backups.find((one) => one.name === name)
  if (found === undefined) throw new CommandError(`There is no backup named ${name}. To see them, run: npm run restore`)
  return found
}

async function restore(
  name: string,
  isJson: boolean,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  terminal: Terminal,
): Promise<void> {
  const { running } = (await carryOut({ command: 'restore.stage', input: { name } })) as { running: boolean }
  if (running) {
    if (isJson) return terminal.out(JSON.stringify({ name, done: false }))
    return terminal.out(
      `${name} will be restored on the next start. Quit and restart Switchboard. Nothing changes until then.`,
    )
  }
  const outcome = (await carryOut({ command: 'restore.outcome', input: {} })) as Outcome | null
  if (outcome === null || outcome.problem !== null)
    throw new CommandError(`Nothing was changed: ${outcome?.problem ?? 'the restore did not run.'}`)
  if (isJson) return terminal.out(JSON.stringify({ name, done: true, safety_copy: outcome.safety_copy }))
  if (outcome.safety_copy === null)
    return terminal.out(`Restored ${name}. There was no database before, so no previous state was saved.`)
  const isBackup = outcome.safety_copy.endsWith('.db')
  terminal.out(
    isBackup
      ? `Restored ${name}. The previous state was saved as ${outcome.safety_copy}.`
      : `Restored ${name}. The previous database could not be read. What is left of it is in ${outcome.safety_copy}.`,
  )
}
