import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

/** The voice settings of an instance, and its widgets. */

type OfInstance = { instanceId: string }

export type VoicePlan = 'trial' | 'package'

export interface SetupRow {
  readonly accountId: AccountId
  readonly plan: VoicePlan | null
  readonly trialUsed: number
  /** JSON */
  readonly settings: string
}

export const setupOf = sql<OfInstance, SetupRow>(
  `SELECT account_id AS accountId, plan, trial_used AS trialUsed, settings FROM voice_instances
   WHERE instance_id = :instanceId`,
)
export const insertSetup = sql<OfInstance & { accountId: string; settings: string; now: number }>(
  `INSERT INTO voice_instances (instance_id, account_id, plan, trial_used, settings, updated_at)
   VALUES (:instanceId, :accountId, NULL, 0, :settings, :now) ON CONFLICT (instance_id) DO NOTHING`,
)
export const saveSettings = sql<OfInstance & { settings: string; now: number }>(
  'UPDATE voice_instances SET settings = :settings, updated_at = :now WHERE instance_id = :instanceId',
)
export const setPlan = sql<OfInstance & { plan: VoicePlan; now: number }>(
  `UPDATE voice_instances SET plan = :plan, enabled_at = COALESCE(enabled_at, :now), updated_at = :now
   WHERE instance_id = :instanceId`,
)
/** Changes nothing without a trial. */
export const useTrialCall = sql<OfInstance & { mostCalls: number }>(
  `UPDATE voice_instances SET trial_used = trial_used + 1
   WHERE instance_id = :instanceId AND plan = 'trial' AND trial_used < :mostCalls`,
)
export const countPackages = sql<{ accountId: string }, { count: number }>(
  `SELECT COUNT(*) AS count FROM voice_instances WHERE account_id = :accountId AND plan = 'package'`,
)
/** A voice package belongs to the account: in a new account the instance continues with the rest of its trial. */
export const rehomeSetup = sql<OfInstance & { accountId: string }>(
  `UPDATE voice_instances SET account_id = :accountId, plan = CASE WHEN plan = 'package' THEN 'trial' ELSE plan END
   WHERE instance_id = :instanceId`,
)
/** The voice setups of an account's instances. An instance with a trunk or a widget has a row. */
export const setupsOfAccount = sql<
  { accountId: string },
  OfInstance & { plan: VoicePlan | null; trialUsed: number; hasTrunk: 0 | 1; widgets: number }
>(
  `SELECT v.instance_id AS instanceId, v.plan, v.trial_used AS trialUsed,
     CASE WHEN t.instance_id IS NULL THEN 0 ELSE 1 END AS hasTrunk,
     (SELECT COUNT(*) FROM voice_widgets w WHERE w.instance_id = v.instance_id) AS widgets
   FROM voice_instances v LEFT JOIN voice_trunks t ON t.instance_id = v.instance_id WHERE v.account_id = :accountId`,
)
export const removeSetup = sql<OfInstance>('DELETE FROM voice_instances WHERE instance_id = :instanceId')

export interface StoredWidget {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly instanceId: string
  readonly agentId: string | null
  readonly name: string
  /** JSON */
  readonly allowedOrigins: string
  readonly videoEnabled: 0 | 1
  /** JSON */
  readonly appearance: string
  readonly publicKey: string
  readonly dailyCap: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

const WIDGET = `seq, id, account_id AS accountId, instance_id AS instanceId, agent_id AS agentId, name,
  allowed_origins AS allowedOrigins, video_enabled AS videoEnabled, appearance, public_key AS publicKey,
  daily_cap AS dailyCap, created_at AS createdAtMs, updated_at AS updatedAtMs`

export const insertWidget = sql<StoredWidget>(
  `INSERT INTO voice_widgets (seq, id, account_id, instance_id, agent_id, name, allowed_origins, video_enabled, appearance,
     public_key, daily_cap, created_at, updated_at)
   VALUES (:seq, :id, :accountId, :instanceId, :agentId, :name, :allowedOrigins, :videoEnabled, :appearance, :publicKey,
     :dailyCap, :createdAtMs, :updatedAtMs)`,
)
export const saveWidget = sql<
  Pick<
    StoredWidget,
    'id' | 'agentId' | 'name' | 'allowedOrigins' | 'videoEnabled' | 'appearance' | 'dailyCap' | 'updatedAtMs'
  >
>(
  `UPDATE voice_widgets SET agent_id = :agentId, name = :name, allowed_origins = :allowedOrigins,
     video_enabled = :videoEnabled, appearance = :appearance, daily_cap = :dailyCap,
     updated_at = :updatedAtMs WHERE id = :id`,
)
export const widgetById = sql<{ id: string }, StoredWidget>(`SELECT ${WIDGET} FROM voice_widgets WHERE id = :id`)
export const widgetByKey = sql<{ publicKey: string }, StoredWidget>(
  `SELECT ${WIDGET} FROM voice_widgets WHERE public_key = :publicKey`,
)
export const widgetsOfInstance = sql<OfInstance & { beforeSeq: number; rows: number }, StoredWidget>(
  `SELECT ${WIDGET} FROM voice_widgets WHERE instance_id = :instanceId AND seq < :beforeSeq
   ORDER BY seq DESC LIMIT :rows`,
)
export const countWidgets = sql<OfInstance, { count: number }>(
  'SELECT COUNT(*) AS count FROM voice_widgets WHERE instance_id = :instanceId',
)
export const removeWidget = sql<{ id: string }>('DELETE FROM voice_widgets WHERE id = :id')
export const rehomeWidgets = sql<OfInstance & { accountId: string }>(
  'UPDATE voice_widgets SET account_id = :accountId WHERE instance_id = :instanceId',
)
export const removeWidgets = sql<OfInstance>('DELETE FROM voice_widgets WHERE instance_id = :instanceId')

export interface TrunkRow {
  readonly host: string
  readonly port: number
  readonly transport: 'tcp' | 'tls' | 'wss'
  readonly username: string
  readonly callerId: string | null
  readonly password: Uint8Array | null
  /** The operator chose the address, so it may be in a trusted range. */
  readonly byOperator: 0 | 1
}
export const trunkOf = sql<OfInstance, TrunkRow>(
  `SELECT host, port, transport, username, caller_id AS callerId, password, by_operator AS byOperator
   FROM voice_trunks
   WHERE instance_id = :instanceId`,
)
export const saveTrunk = sql<OfInstance & TrunkRow & { now: number }>(
  `INSERT INTO voice_trunks (instance_id, host, port, transport, username, caller_id, password, by_operator, updated_at)
   VALUES (:instanceId, :host, :port, :transport, :username, :callerId, :password, :byOperator, :now)
   ON CONFLICT (instance_id) DO UPDATE SET host = excluded.host, port = excluded.port, transport = excluded.transport,
     username = excluded.username, caller_id = excluded.caller_id, password = excluded.password,
     by_operator = excluded.by_operator, updated_at = excluded.updated_at`,
)
export const removeTrunk = sql<OfInstance>('DELETE FROM voice_trunks WHERE instance_id = :instanceId')

export interface SpeechRow {
  /** JSON */
  readonly services: string
  readonly apiKey: Uint8Array | null
}
export const speechOf = sql<{ accountId: string }, SpeechRow>(
  'SELECT services, api_key AS apiKey FROM voice_speech WHERE account_id = :accountId',
)
export const saveSpeech = sql<{ accountId: string } & SpeechRow & { now: number }>(
  `INSERT INTO voice_speech (account_id, services, api_key, updated_at) VALUES (:accountId, :services, :apiKey, :now)
   ON CONFLICT (account_id) DO UPDATE SET services = excluded.services, api_key = excluded.api_key,
     updated_at = excluded.updated_at`,
)
