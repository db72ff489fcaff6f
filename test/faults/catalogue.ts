/** A fault, what is done to cause it, and what must be seen then. */
export interface Fault {
  readonly does: string
  readonly sees: string
  /** Why no test causes it; such a row is shown as not run. */
  readonly notRun?: string
}

/** Every fault the product is held against. A test that causes one has its id in the title. */
export const CATALOGUE: Readonly<Record<string, Fault>> = {
  'C-01': {
    does: 'kill -9 again and again while thousands of events are delivered',
    sees: 'every event arrives, none twice under one attempt number, every signature valid',
  },
  'C-02': {
    does: 'kill -9 while API calls create events',
    sees: 'what was acknowledged exists with its event and deliveries; the rest wholly or not at all',
  },
  'C-03': {
    does: 'SIGKILL of itself at twelve named points inside commits, schema steps, prunes, backups, rotations, replays',
    sees: 'the built service goes on: nothing acknowledged is lost, nothing sent twice, no attempt number seen twice',
  },
  'C-04': {
    does: 'power loss at random moments: a disk with what was synced, and any part of what was not',
    sees: 'it opens whole, every acknowledged send and event is there, no attempt was seen that is not',
  },
  'C-05': {
    does: 'a delivery that kills the process each time',
    sees: 'three times free, then it counts; others finish',
  },
  'C-06': {
    does: 'a second process on the same home',
    sees: 'refused within a second; starts after kill -9 of the first',
  },
  'C-07': { does: 'a backup restored after a receiver saw more attempts', sees: 'no attempt number repeats' },
  'C-08': { does: '60 random courses of up to 60 steps against a model', sees: 'model and database agree' },
  'C-09': { does: 'eight attempts of one delivery', sees: 'bytes differ in the attempt digits only; each signed' },
  'C-10': {
    does: 'groups of commits with a constraint error, a full disk, an I/O error, a failed COMMIT',
    sees: 'only the faulty unit is refused, or all; nothing resolves before the commit',
  },
  'C-11': {
    does: 'kill -9 and SIGTERM amid keyed sends and a campaign on a linked phone',
    sees: 'a repeat sends what surely never left; what may have left is unknown; nothing is sent twice',
  },
  'S-01': { does: 'a receiver that always fails', sees: 'exactly 8 attempts over 19.7 to 22.2 hours' },
  'S-02': {
    does: 'five deliveries exhaust, with and without a success between',
    sees: 'deactivated at the fifth, or not',
  },
  'S-03': {
    does: '410 with others waiting and in flight, as the eighth failure, by hand',
    sees: 'gone, and nothing after',
  },
  'S-04': { does: '10,000 waiting for a receiver that hangs', sees: 'the five oldest exhaust in time' },
  'S-05': { does: 'pause, events, resume after 1 hour and after 80', sees: 'delivered once in order; or expired' },
  'S-06': { does: 'events while deactivated', sees: 'recorded only; a replay offers them' },
  'S-07': { does: 'five redeliveries by ten callers at once', sees: 'five accepted, 45 refused' },
  'S-08': { does: 'rotation with overlap, without, twice', sees: 'the previous signature until its second, or never' },
  'S-09': { does: 'Retry-After of every kind', sees: 'within its bounds, never under a minute' },
  'S-10': {
    does: 'a replay twice, during load, across a crash',
    sees: 'each event once; fresh events keep half the slots',
  },
  'H-01': { does: 'TCP that never speaks TLS', sees: 'a timeout after 5 s, the slot freed' },
  'H-02': { does: 'no answer, dripped headers, dripped body', sees: 'ended at 10 s; delivered at the header' },
  'H-03': { does: 'endless bodies at full speed, 20 at once', sees: 'done within a second, memory flat' },
  'H-04': { does: 'compressed bombs, 100 kB of headers, status 600, garbage', sees: 'judged, never decoded' },
  'H-05': { does: 'resets at every moment', sees: 'a failure that counts' },
  'H-06': { does: 'redirects of every kind', sees: 'not followed' },
  'H-07': { does: 'certificates that are not to be trusted, TLS 1.1', sees: 'refused, never in the clear' },
  'H-08': { does: 'an answer just before and after ten seconds', sees: 'delivered, or a timeout' },
  'H-09': { does: 'kept connections closed as they are used again', sees: 'never sent twice' },
  'X-01': { does: 'every spelling of an address that is not public', sees: 'refused without a packet' },
  'X-02': { does: 'a name that is public when stored and private when sent', sees: 'blocked, the trap sees nothing' },
  'X-03': { does: 'answers that flip with every lookup, 1,000 sends', sees: 'the trap sees nothing' },
  'X-04': { does: '100,000 random addresses', sees: 'the verdict of the IANA registries' },
  'X-05': { does: 'proxies in the environment', sees: 'ignored' },
  'X-06': { does: "this machine's own addresses and networks", sees: 'blocked' },
  'X-07': { does: 'trusted ranges of /0, or by another way than the file', sees: 'refused' },
  'X-08': { does: 'trusted ranges, inside and outside', sees: 'only the https receiver inside is reached' },
  'X-09': {
    does: 'addresses inside in every setting that dials: saved, checked and used',
    sees: 'refused; the trap sees nothing',
  },
  'X-10': { does: 'a call of a stranger whose candidates name a thousand addresses', sees: 'no packet to one inside' },
  'P-01': { does: 'sleep in the middle of deliveries', sees: 'interrupted, uncounted, a higher attempt' },
  'P-02': { does: 'the clock set by hours, days, decades', sees: 'nothing parked for more than one gap' },
  'P-03': { does: 'nine hours without network', sees: 'no attempt used up, one probe in 30 s' },
  'P-04': { does: 'a captive portal', sees: 'uncounted; a lone bad certificate counts' },
  'P-05': { does: 'a VPN that makes up addresses', sees: 'uncounted, and said' },
  'P-06': { does: 'receivers whose clock differs', sees: 'said; no timestamp altered' },
  'P-07': { does: 'names whose lookup hangs', sees: 'healthy names are found all the same' },
  'P-08': { does: 'a wake with 5,000 due', sees: 'one request a webhook in the first second' },
  'P-09': {
    does: 'the clock set by an hour or days, either way, amid campaigns, messages and keys',
    sees: 'work goes on at its pace, keys keep their 24 hours, nothing is sent twice',
  },
  'D-01': { does: 'the disk fills up', sees: '503 storage_full, nothing acknowledged lost, resumes alone' },
  'D-02': {
    does: 'the disk fills to the last byte',
    sees: 'the reserve lets what is under way end; resumes without help',
  },
  'D-03': { does: 'a database that may not grow', sees: 'refused, nothing half done' },
  'D-04': { does: 'a sync of the disk fails', sees: 'reopened; read-only after three; no send lost or doubled' },
  'D-05': {
    does: 'random bytes, cuts and zeros in database, log and index; entries of an index that are not those of its table',
    sees: 'found at the start, by the daily check, or harmless; restores the newest intact backup and reports the missing period; a log is read up to the damage',
  },
  'D-06': { does: 'kill -9 in the middle of backups', sees: 'every named backup is whole' },
  'D-07': { does: 'a keychain that refuses', sees: 'events recorded, nothing sent or used up; then delivered' },
  'D-08': {
    does: 'hundreds of thousands of old events, then the hourly removal',
    sees: 'the file shrinks, callers are served',
  },
  'D-09': {
    does: 'the disk of the log is full',
    sees: 'lines are dropped and counted, the service serves, the log goes on when there is room',
  },
  'D-10': {
    does: 'an older backup restored by hand, or because the database is damaged',
    sees: 'no opt-out, revocation, removal, suspension or purchase is forgotten; nobody is written to twice',
  },
  'D-11': { does: 'a kill with each state that is not final in place', sees: 'each ends' },
  'D-12': {
    does: 'the copy from before an upgrade restored by the version that made it',
    sees: 'it starts, and what was revoked since stays revoked',
  },
  'D-13': {
    does: 'the end of a call or of an approval refused by a full disk',
    sees: 'written later, without a restart',
  },
  'D-14': {
    does: 'kill -9 at three moments of a restore, again and again',
    sees: 'the database is whole, the next start finishes it, and the state before is one copy',
  },
  'K-01': { does: '100 callers with one key, again and again', sees: 'one send, one id' },
  'K-02': { does: 'kill -9 while 1,000 keys are sent by two clients each', sees: 'one send and one id a key' },
  'K-03': { does: 'one key with other spellings, texts, instances', sees: 'replay, conflict, independent' },
  'K-04': { does: '504, then 50 repeats, then the ack', sees: 'never sent again; replayed after the ack' },
  'K-05': { does: '502 or not_ready, then a repeat', sees: 'carried out once' },
  'K-06': { does: 'a second before and after 24 hours', sees: 'replay; exactly one new send' },
  'K-07': { does: 'keys of any bytes', sees: '400 or works, never a fault' },
  'K-08': { does: 'a crash between ack and result', sees: 'settled or unknown, never sent again' },
  'A-01': { does: 'random bodies and headers on every route', sees: 'never a fault; one shape of error' },
  'A-02': { does: 'random bytes on sockets', sees: 'refused or closed; the service goes on' },
  'A-03': { does: 'request ids of any form', sees: 'echoed, or replaced by ours' },
  'A-04': { does: 'JSON that is meant to do harm', sees: 'refused or kept as it was said' },
  'A-05': { does: 'every route with every method and odd bodies, by a stranger', sees: 'never a fault' },
  'A-06': {
    does: 'the largest and oddest bodies, queries and files of every operation',
    sees: 'none holds the event loop up for 50 ms of an ordinary computer',
  },
  'A-07': { does: 'documents that are meant to take long', sees: 'read in time, or refused with a reason' },
  'A-08': {
    does: 'a member removed, a key revoked, an account suspended, with everything open at once',
    sees: 'what hung on it ends in the same moment, and nothing else',
  },
  'A-09': {
    does: 'every operation by suspended and frozen accounts, every tool under approval',
    sees: 'nobody is reached, nothing paid, no access given',
  },
  'R-01': { does: 'more requests than the limit', sees: '429 with Retry-After, to the request' },
  'R-02': { does: '50 keys, one abusive', sees: 'no other notices' },
  'R-03': { does: 'every kind of answer', sees: 'carries the figures' },
  'R-04': { does: 'the clock set by a day, by years', sees: 'nobody locked out' },
  'R-05': { does: '100,000 invalid tokens', sees: 'memory bounded, valid keys untouched' },
  'F-01': {
    does: '64 deliveries that hang, beside a healthy webhook on the same host',
    sees: 'the healthy one goes on',
  },
  'F-02': { does: 'nine dead webhooks with long queues', sees: 'the healthy one loses nothing' },
  'F-03': { does: 'max_in_flight 1, 8, 64', sees: 'never more at once' },
  'F-04': { does: '5,000 failing retries and fresh events', sees: 'fresh ones start at once' },
  'L-01': {
    does: 'minutes of steady sends with random kills (SOAK_MINUTES)',
    sees: 'log and files bounded, nothing lost',
  },
  'L-02': {
    does: 'deliveries as fast as they go, signed, over TLS, each attempt durable',
    sees: 'at least 300 a second at max_in_flight 8, 1,200 at 64',
  },
  'L-03': {
    does: 'an older and a newer database; an upgrade that fails again and again',
    sees: 'brought up to date after a copy; refused; one copy is kept',
  },
  'L-04': { does: 'told to stop during 64 deliveries', sees: 'ends within six seconds; goes on uncounted' },
}
