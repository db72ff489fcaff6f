/** Who ends a state that is not final. */
export type Owner =
  /** A durable job: it is due again after a crash, and at its deadline without one. */
  | { readonly by: 'job'; readonly kind: string; readonly test: string }
  /** What starts with the service, before anything else runs. Not the only owner: a full disk ends no process. */
  | { readonly by: 'start' }
  /** The process that holds it. An end that the storage does not take is written as soon as it does. */
  | { readonly by: 'process'; readonly test: string }
  /** Looks at what is open again and again. */
  | { readonly by: 'sweep'; readonly test: string }
  /** By design. The operation that ends it. */
  | { readonly by: 'person'; readonly operation: string }

interface States {
  readonly final: readonly string[]
  readonly open: Readonly<Record<string, readonly Owner[]>>
}

const person = (operation: string): Owner => ({ by: 'person', operation })
const job = (kind: string, test: string): Owner => ({ by: 'job', kind, test })
const sweep = (test: string): Owner => ({ by: 'sweep', test })
const start: Owner = { by: 'start' }
const process = (test: string): Owner => ({ by: 'process', test })

const CAMPAIGNS = 'test/capabilities/campaigns/crashes.test.ts'
const FULL_DISK = 'test/capabilities/campaigns/full-disk.test.ts'
const WORKER = 'test/kernel/worker.test.ts'
const CALLS = 'test/capabilities/voice/ending.test.ts'
const KEYS = 'test/capabilities/messages/idempotency.test.ts'
const NUMBER_MONITOR = 'test/engines/official/number-monitor.test.ts'
const RECONCILER = 'test/capabilities/messages/reconciler.test.ts'

/** Every column that holds a state, by `table.column`. */
export const STATES: Readonly<Record<string, States>> = {
  'accounts.status': { final: ['active'], open: { suspended: [person('activateSubAccount')] } },
  'ai_documents.status': { final: ['ready', 'failed'], open: { processing: [job('ai-knowledge.read', 'here')] } },
  'ai_evaluation_runs.status': {
    final: ['completed', 'failed'],
    open: { running: [job('ai-evaluations.run', 'here')] },
  },
  'ai_turns.state': {
    final: ['answered', 'handed_over', 'skipped', 'unknown'],
    open: {
      waiting: [job('ai.turn', 'test/headless/ai-crash.slow.ts')],
      thinking: [job('ai.turn', 'test/headless/ai-crash.slow.ts')],
      sending: [job('ai.turn', 'test/headless/ai-crash.slow.ts')],
    },
  },
  'ai_unanswered.status': { final: ['answered', 'dismissed'], open: { open: [person('dismissQuestion')] } },
  'approvals.state': {
    final: ['refused', 'executed'],
    // Expiry is not stored.
    open: {
      pending: [person('approveCall')],
      approved: [start, process('test/capabilities/approvals/unrecorded.test.ts')],
    },
  },
  'billing_clients.state': {
    final: ['active', 'failed'],
    open: {
      pending: [job('billing.client', 'test/capabilities/billing/clients.test.ts')],
      past_due: [person('setClientBilling')],
    },
  },
  'billing_orders.status': {
    final: ['paid', 'failed', 'expired'],
    open: {
      processing: [job('billing.reconcile', 'test/capabilities/billing/crashes.test.ts')],
      open: [job('billing.reconcile', 'test/capabilities/billing/crashes.slow.ts')],
    },
  },
  'billing_subscriptions.status': {
    final: ['active', 'ended'],
    open: {
      past_due: [job('billing.grace', 'test/capabilities/billing/year.test.ts')],
      frozen: [person('createPurchase')],
    },
  },
  'campaign_recipients.status': {
    final: ['sent', 'delivered', 'read', 'failed', 'skipped', 'unknown'],
    open: { pending: [job('campaigns.send', CAMPAIGNS)], sending: [start, sweep(FULL_DISK)] },
  },
  'campaigns.status': {
    final: ['completed', 'canceled', 'failed'],
    open: {
      draft: [person('startCampaign')],
      scheduled: [job('campaigns.control', 'test/service/clock-set.test.ts')],
      running: [job('campaigns.send', CAMPAIGNS)],
      paused: [
        person('resumeCampaign'),
        job('campaigns.control', 'test/capabilities/campaigns/states.test.ts'),
        sweep('test/capabilities/campaigns/budgets.test.ts'),
      ],
    },
  },
  'crm_backfills.state': {
    final: ['done', 'canceled'],
    open: {
      running: [job('crm.backfill', 'test/headless/crm-crash.slow.ts')],
      paused: [person('backfillGhl')],
    },
  },
  'crm_inbox.state': {
    final: ['done', 'failed'],
    open: { waiting: [job('crm.send', 'test/headless/crm-crash.slow.ts')] },
  },
  'crm_links.state': { final: ['connected'], open: { reconnect_required: [person('connectGhl')] } },
  'crm_messages.status': { final: ['*'], open: {} },
  'crm_statuses.status': { final: ['*'], open: {} },
  'deliveries.status': {
    final: ['delivered', 'exhausted'],
    open: {
      pending: [sweep('test/capabilities/webhooks/crash-recovery.test.ts')],
      failed: [sweep('test/capabilities/webhooks/crash-recovery.test.ts')],
    },
  },
  'delivery_attempts.outcome': {
    final: [
      ...['success', 'http_error', 'timeout', 'dns', 'connect', 'tls', 'protocol', 'blocked', 'interrupted'],
      'local_fault',
    ],
    open: { in_progress: [start, process(WORKER)] },
  },
  'history_imports.state': {
    final: ['completed', 'failed', 'canceled'],
    open: {
      running: [job('history.import', 'test/capabilities/history/history.test.ts')],
      paused: [person('updateHistoryImport')],
    },
  },
  'number_checks.state': {
    final: ['completed', 'failed', 'canceled'],
    open: {
      running: [job('number-checks.ask', 'test/capabilities/number-checks/number-checks.test.ts')],
      paused: [person('updateNumberCheck')],
    },
  },
  'idempotency_keys.state': {
    final: ['done'],
    open: { in_progress: [start, process(KEYS), sweep(FULL_DISK)], unknown: [start, process(KEYS), sweep(RECONCILER)] },
  },
  'instances.status': {
    final: ['created', 'connected', 'disconnected', 'auth_failed'],
    open: {
      connecting: [start, process('test/engines/smv2/signal-outbox.test.ts'), person('restartInstance')],
      qr: [start, process('test/engines/smv2/signal-outbox.test.ts'), person('disconnectInstance')],
      passkey_required: [start, process('test/engines/smv2/signal-outbox.test.ts'), person('disconnectInstance')],
      recreating: [start, process('test/capabilities/instances/recreate.test.ts')],
    },
  },
  'job_lanes.state': { final: ['open', 'canceled'], open: { paused: [person('resumeCampaign')] } },
  'jobs.state': {
    final: ['done', 'failed', 'canceled'],
    open: { waiting: [start, process('test/kernel/jobs.test.ts')], running: [start, process(WORKER)] },
  },
  'messages.status': { final: ['sent', 'delivered', 'read', 'failed'], open: { queued: [start, sweep(RECONCILER)] } },
  // A random value that a signup brings back.
  'official_numbers.signup_state': { final: ['*'], open: {} },
  'official_template_states.state': {
    final: [],
    open: {
      rejected: [sweep(NUMBER_MONITOR)],
      paused: [sweep(NUMBER_MONITOR)],
      disabled: [sweep(NUMBER_MONITOR)],
    },
  },
  'sandbox_ghl_messages.status': { final: ['*'], open: {} },
  'sandbox_graph_permissions.status': { final: ['no_permission', 'temporary', 'permanent'], open: {} },
  // Meta shows reserved usernames to people country by country, and no number waits for it.
  'sandbox_profiles.username_status': { final: ['reserved', 'approved'], open: {} },
  // A review ends by itself, two seconds after it began: the state in the table is what it ends with.
  'sandbox_templates.status': { final: ['APPROVED', 'REJECTED'], open: {} },
  'voice_calls.status': {
    final: ['completed', 'no_answer', 'busy', 'rejected', 'failed', 'canceled'],
    open: {
      scheduled: [start, job('voice.dial', 'test/capabilities/voice/sandbox.test.ts')],
      dialing: [start, sweep(CALLS)],
      ringing: [start, sweep(CALLS)],
      in_progress: [start, sweep(CALLS)],
    },
  },
  // By its limit in the voice process, and with the call.
  'voice_calls.transfer_status': {
    final: ['completed', 'failed', 'unknown'],
    open: { pending: [start, sweep(CALLS)] },
  },
  'webhooks.state': {
    final: ['active'],
    open: { paused: [person('updateWebhook')], deactivated: [person('updateWebhook')] },
  },
}
