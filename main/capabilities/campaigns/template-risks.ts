import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { CampaignRisk } from '../../contract/campaign.ts'
import { isoTime } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { KnownInstance } from '../instances/index.ts'
import { billedNumberOf } from './billed-numbers.ts'
import type { CampaignsDeps } from './deps.ts'
import type { NumberStates } from './links.ts'
import { named, warning } from './risks.ts'
import type { TemplateCategories, UnusableTemplate } from './template-categories.ts'

interface Deps extends Pick<CampaignsDeps, 'instances'> {
  readonly db: Pick<Db, 'readOne'>
  readonly numberState: NumberStates
  readonly templates: Pick<TemplateCategories, 'read' | 'usesUtility' | 'unusable'>
}

/** Why the templates of a campaign cannot be sent now. */
export function createTemplateRisks({ db, instances, numberState, templates }: Deps) {
  const read = { one: db.readOne }

  return async function templateRisks(
    accountId: AccountId,
    known: readonly KnownInstance[],
    messages: readonly CampaignMessage[],
  ): Promise<CampaignRisk[]> {
    const unusable = new Map<string, UnusableTemplate>()
    const waiting: { readonly name: string; readonly untilMs: number | null }[] = []
    for (const instance of known) {
      const { suspension } = await numberState(read, accountId, instance.id)
      const number = billedNumberOf(instances, accountId, instance)
      if (number === null) continue
      await templates.read(number, messages)
      for (const template of templates.unusable(instance.id, messages)) unusable.set(template.name, template)
      if (suspension !== null && templates.usesUtility(instance.id, messages))
        waiting.push({ name: instance.name, untilMs: suspension.untilMs })
    }
    return [...[...unusable.values()].map(riskOfStatus), ...riskOfSuspension(waiting)]
  }
}

/** The risk of a template that Meta does not accept. */
function riskOfStatus({ name, status, deletedAtMs, pausedUntilMs }: UnusableTemplate): CampaignRisk {
  if (status === 'ARCHIVED') {
    const at = deletedAtMs === null ? null : isoTime(deletedAtMs)
    const deletes = at === null ? 'deletes it 28 days after that' : `deletes it at ${at}`
    const message = `Meta has archived the template ${name}, because nobody used it for 12 months, and ${deletes}. Restore it in WhatsApp Manager, or choose another one.`
    return at === null
      ? warning('template_archived', 'messages', message, { name })
      : warning('template_archived_until', 'messages', message, { name, at })
  }
  if (status === 'PAUSED' && pausedUntilMs !== null) {
    const at = isoTime(pausedUntilMs)
    const message = `Meta has paused the template ${name} until ${at}. The campaign waits for it.`
    return warning('template_paused', 'messages', message, { name, at })
  }
  const message = `Meta takes no messages with the template ${name} now: ${status}. The campaign stops until it does.`
  return warning('template_unusable', 'messages', message, { name, status })
}

function riskOfSuspension(
  waiting: readonly { readonly name: string; readonly untilMs: number | null }[],
): CampaignRisk[] {
  if (waiting.length === 0) return []
  const ends = waiting.map(({ untilMs }) => untilMs)
  const at = ends.includes(null) ? null : isoTime(Math.max(...ends.map(Number)))
  const names = named(waiting.map(({ name }) => name))
  const until = at === null ? '' : ` until ${at}`
  const message = `Meta has suspended utility templates of ${names}, so these numbers wait${until}, and then continue automatically. Use a marketing template if the campaign cannot wait.`
  const params = { names, count: waiting.length }
  return at === null
    ? [warning('utility_templates_open', 'messages', message, params)]
    : [warning('utility_templates', 'messages', message, { ...params, at })]
}
