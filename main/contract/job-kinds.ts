/**
 * What a restore does with the jobs of a kind that wait in the backup.
 * - `restored`: they wait as in the backup. Each job checks its rows, which have their own rules,
 * whether there is still something to do.
 * - `kept`: they stay as they were before the restore, like their rows. If that is unknown, they are as in the
 *   backup.
 * - `discarded`: they are canceled. They reach people or cost money, and either ran since the backup or are too late.
 */
type JobAfterRestore = 'restored' | 'kept' | 'discarded'

/** Every kind of job, `room.act`, with what a restore does with it. */
export const JOB_KINDS = {
  'ai.follow-up': 'restored',
  'ai.turn': 'restored',
  'ai-evaluations.run': 'discarded',
  'ai-knowledge.embed': 'restored',
  'ai-knowledge.read': 'restored',
  'billing.callback': 'kept',
  'billing.client': 'kept',
  'billing.client_end': 'kept',
  'billing.client_usage': 'kept',
  'billing.follow_up': 'kept',
  'billing.grace': 'kept',
  'billing.pay_debts': 'kept',
  'billing.reconcile': 'kept',
  'campaigns.control': 'restored',
  'campaigns.send': 'restored',
  // The person was removed here, so Meta must delete them too.
  'contacts.forget_at_meta': 'kept',
  'crm.backfill': 'restored',
  'crm.push': 'restored',
  'crm.send': 'restored',
  'history.import': 'restored',
  // Numbers stay as they are now, so a number that is banned now still needs its reconnection.
  'instances.ban_end': 'kept',
  'number-checks.ask': 'restored',
  'sandbox.stripe_callback': 'kept',
  'voice.dial': 'restored',
  'voice.mail': 'discarded',
  'voice.review': 'discarded',
} as const satisfies Record<string, JobAfterRestore>

export type JobKindName = keyof typeof JOB_KINDS

export const jobKindsThatAre = (after: JobAfterRestore): readonly string[] =>
  Object.entries(JOB_KINDS).flatMap(([name, rule]) => (rule === after ? [name] : []))
