/**
 * What a restore does with the rows of a table.
 * - `restored`: they become as in the backup.
 * - `kept`: they are as they were before the restore, because something outside knows them: a person, a provider, a
 * receiver. Rows of accounts and instances that the backup does not have go with them.
 * - `strictest`: of both states, the value that allows less, or counts more, is used.
 * - `discarded`: waiting work of the backup is ended, because it is too late or was done since.
 */
export type AfterRestore = 'restored' | 'kept' | 'strictest' | 'discarded'

/**
 * Every table with its rule. A table that is missing here fails test/storage/table-rules.test.ts: decide what its
 * rows promise to people or services outside. The statements are in `preserved-tables.ts`. Each kind of job has its
 * own rule (contract/job-kinds.ts).
 */
export const TABLE_RULES: Readonly<Record<string, AfterRestore>> = {
  ...rule('restored', [
    ...['meta', 'subjects', 'events', 'nodes', 'jobs', 'job_lanes', 'activity', 'fusions', 'person_rekeyings'],
    ...['messages', 'message_reactions', 'poll_votes', 'unread_chats', 'unread_instances', 'chat_names'],
    ...['chat_moves', 'contact_identities'],
    ...['contacts', 'contact_terms', 'contact_tags', 'contact_instances', 'opt_out_settings', 'ai_account_settings'],
    ...['number_checks', 'number_check_numbers'],
    ...['history_imports', 'history_chats', 'instance_call_settings', 'instance_reconnects'],
    ...['instance_departures', 'access_link_uses', 'safety_numbers', 'safety_firsts', 'campaign_number_checks'],
    ...['ai_agents', 'ai_stages', 'ai_agent_media', 'ai_faq', 'ai_documents'],
    ...['ai_passages', 'ai_vectors', 'ai_unanswered', 'ai_evaluations', 'ai_evaluation_results'],
    ...['message_rates', 'billing_prices', 'crm_backfills', 'crm_statuses', 'crm_hidden_people', 'voice_transcripts'],
    'delivery_attempts',
  ]),
  ...rule('kept', [
    ...['console_sessions', 'console_passwords', 'audit_log', 'files', 'safety_reached', 'safety_minutes'],
    ...['number_check_portions', 'opt_out_questions', 'voice_speech', 'instance_line_settings'],
    ...['campaigns', 'campaign_instances', 'campaign_recipients', 'campaign_counts', 'campaign_streaks'],
    ...['billing_provider', 'billing_customers', 'billing_orders', 'billing_subscriptions', 'billing_callbacks'],
    ...['billing_history', 'billing_agencies', 'billing_clients', 'entitlement_grants'],
    ...['message_prices', 'price_counts', 'price_sums', 'price_holds', 'message_budgets'],
    ...[
      'crm_sessions',
      'crm_messages',
      'official_contacts',
      'official_addresses',
      'official_user_ids',
      'official_numbers',
      'official_callbacks',
      'official_template_pauses',
      'official_template_category_changes',
      'official_recategorized_templates',
      'official_template_lifetimes',
      'official_archived_templates',
      'official_template_states',
      'official_template_words',
    ],
    ...['smv2_sessions', 'smv2_keys', 'smv2_inbound', 'smv2_sent', 'smv2_people', 'smv2_media', 'smv2_protocol'],
    ...['smv2_polls', 'smv2_waiting_votes', 'smv2_history_chats', 'smv2_labels'],
    // The simulated services behave like real ones, which a restore does not change.
    ...[
      'sandbox_phones',
      'sandbox_lines',
      'sandbox_faults',
      'sandbox_messages',
      'sandbox_timeline',
      'sandbox_catchers',
    ],
    ...['sandbox_caught', 'sandbox_groups', 'sandbox_group_members', 'sandbox_blocks', 'sandbox_files'],
    ...['sandbox_profiles', 'sandbox_pictures', 'sandbox_chats', 'sandbox_labels', 'sandbox_marks', 'sandbox_timers'],
    ...['sandbox_join_requests', 'sandbox_community_groups', 'sandbox_channel_followers', 'sandbox_channel_files'],
    ...[
      'sandbox_graph_numbers',
      'sandbox_graph_sent',
      'sandbox_graph_media',
      'sandbox_graph_permissions',
      'sandbox_graph_entries',
    ],
    'sandbox_templates',
    ...[
      'sandbox_graph_marketing_stops',
      'sandbox_graph_contact_book',
      'sandbox_graph_portfolios',
      'sandbox_graph_reached',
    ],
    ...['sandbox_stripe_objects', 'sandbox_stripe_keys', 'sandbox_ghl_codes', 'sandbox_ghl_companies'],
    ...['sandbox_ghl_contacts', 'sandbox_ghl_deliveries', 'sandbox_ghl_files', 'sandbox_ghl_keys'],
    ...['sandbox_ghl_locations', 'sandbox_ghl_messages', 'sandbox_ghl_tokens'],
  ]),
  ...rule('strictest', [
    ...[
      'counters',
      'idempotency_keys',
      'accounts',
      'api_keys',
      'instances',
      'access_links',
      'members',
      'opt_outs',
      'approvals',
    ],
    ...['webhooks', 'deliveries', 'instance_webhooks', 'instance_webhook_calls'],
    ...['safety_counts', 'usage_daily', 'ai_daily', 'ai_instances', 'ai_conversations'],
    ...['ai_provider_keys', 'ai_http_tools', 'voice_trunks', 'brands'],
    ...[
      'crm_links',
      'crm_queues',
      'crm_contacts',
      'crm_inbox',
      'voice_instances',
      'voice_calls',
      'voice_widgets',
      'voice_recordings',
    ],
  ]),
  ...rule('discarded', ['safety_claims', 'ai_turns', 'ai_evaluation_runs', 'crm_outbox', 'crm_states']),
}

function rule(after: AfterRestore, tables: readonly string[]): Record<string, AfterRestore> {
  return Object.fromEntries(tables.map((table) => [table, after]))
}
