import type { Migration } from '../migrate.ts'

/** Campaigns, their numbers, their recipients, and their counts. */
export const campaigns: Migration = {
  version: 24,
  name: 'campaigns',
  sql: `
-- config_input is config as it was sent, without defaults. next_position: positions are never used twice, since they are
-- part of the Idempotency-Key of a send. loading: 1 while recipients are being added, 2 while the campaign itself is being
-- created. resume_at: when an automatic pause ends; unusable_since: since when no number could send.
CREATE TABLE campaigns (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'scheduled', 'running', 'paused', 'completed', 'canceled', 'failed')),
  pause_reason TEXT CHECK (pause_reason IN
    ('user', 'error_threshold', 'restricted', 'no_instance', 'outside_window', 'app_offline')),
  network TEXT NOT NULL CHECK (network IN ('sandbox', 'live')),
  messages TEXT NOT NULL,
  variables TEXT NOT NULL,
  config TEXT NOT NULL,
  config_input TEXT NOT NULL,
  next_position INTEGER NOT NULL,
  loading INTEGER NOT NULL CHECK (loading IN (0, 1, 2)),
  idem_key TEXT,
  resume_at INTEGER,
  unusable_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  scheduled_at INTEGER,
  started_at INTEGER,
  finished_at INTEGER,
  CHECK ((status = 'paused') = (pause_reason IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX campaigns_id ON campaigns (id);
CREATE INDEX campaigns_of_account ON campaigns (account_id, seq);
CREATE INDEX campaigns_by_status ON campaigns (account_id, status, seq);
CREATE INDEX campaigns_open ON campaigns (status, seq) WHERE status IN ('scheduled', 'running', 'paused');
CREATE INDEX campaigns_loading ON campaigns (seq) WHERE loading > 0;

-- A number of a campaign. assigned counts the recipients it was given, for the rotation. has_job: its lane has a job that
-- has not ended. next_at: when it may send again. since_pause counts sends since its last pause, day_sent those of day.
CREATE TABLE campaign_instances (
  campaign_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  assigned INTEGER NOT NULL,
  has_job INTEGER NOT NULL CHECK (has_job IN (0, 1)),
  next_at INTEGER,
  since_pause INTEGER NOT NULL,
  day TEXT NOT NULL,
  day_sent INTEGER NOT NULL,
  restricted_until INTEGER,
  removed INTEGER NOT NULL CHECK (removed IN (0, 1)),
  PRIMARY KEY (campaign_id, position)
) STRICT;
CREATE UNIQUE INDEX campaign_instances_of ON campaign_instances (instance_id, campaign_id);

-- The outcomes of its last sends, the newest last: 1 for a failure.
CREATE TABLE campaign_streaks (
  campaign_id TEXT PRIMARY KEY,
  recent TEXT NOT NULL
) STRICT;

-- held: 1 while every number that could write to the person is restricted to people it knows.
CREATE TABLE campaign_recipients (
  campaign_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  phone TEXT NOT NULL,
  canonical TEXT NOT NULL,
  name TEXT,
  variables TEXT,
  status TEXT NOT NULL CHECK (status IN
    ('pending', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped', 'unknown')),
  instance_id TEXT,
  variation INTEGER,
  held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
  tries INTEGER NOT NULL DEFAULT 0,
  message_id TEXT,
  error_code TEXT,
  error_message TEXT,
  skip_reason TEXT,
  claimed_at INTEGER,
  sent_at INTEGER,
  delivered_at INTEGER,
  read_at INTEGER,
  replied_at INTEGER,
  opted_out_at INTEGER,
  PRIMARY KEY (campaign_id, position)
) STRICT;
CREATE UNIQUE INDEX campaign_recipients_once ON campaign_recipients (campaign_id, canonical);
CREATE INDEX campaign_recipients_by_status ON campaign_recipients (campaign_id, status, position);
CREATE INDEX campaign_recipients_waiting ON campaign_recipients (campaign_id, instance_id, held, position)
  WHERE status = 'pending';
CREATE INDEX campaign_recipients_sending ON campaign_recipients (campaign_id, position) WHERE status = 'sending';
CREATE INDEX campaign_recipients_claimed ON campaign_recipients (campaign_id, instance_id, claimed_at)
  WHERE claimed_at IS NOT NULL;
CREATE INDEX campaign_recipients_reached ON campaign_recipients (account_id, canonical, claimed_at)
  WHERE claimed_at IS NOT NULL;
CREATE INDEX campaign_recipients_replied ON campaign_recipients (campaign_id, position) WHERE replied_at IS NOT NULL;
CREATE INDEX campaign_recipients_opted_out ON campaign_recipients (campaign_id, position)
  WHERE opted_out_at IS NOT NULL;

-- Changed by the commits that change recipients. instance_id is empty and variation 0 until both are chosen. sent includes
-- delivered, which includes read.
CREATE TABLE campaign_counts (
  campaign_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  variation INTEGER NOT NULL,
  pending INTEGER NOT NULL DEFAULT 0,
  sent INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  read INTEGER NOT NULL DEFAULT 0,
  replied INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  opted_out INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign_id, instance_id, variation)
) STRICT;

-- Whether a number is on WhatsApp. canonical: how the network writes it, null if it is not.
CREATE TABLE campaign_number_checks (
  network TEXT NOT NULL,
  phone TEXT NOT NULL,
  canonical TEXT,
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (network, phone)
) STRICT;
CREATE INDEX campaign_number_checks_by_age ON campaign_number_checks (checked_at);
`,
}
