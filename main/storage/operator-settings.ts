import { integer, oneOf } from '../kernel/setting-kinds.ts'
import { defineSettings } from '../kernel/settings.ts'

export const storageSettings = defineSettings({
  backups: {
    name: 'backups',
    kind: oneOf('hourly', 'off'),
    fallback: 'hourly',
    description: 'Hourly database backups. Keeps the last 24, plus one per day for seven days.',
    window: 'now',
  },
  reserveMb: {
    name: 'storage.reserve_mb',
    kind: integer({ min: 0, max: 100_000 }),
    fallback: 64,
    description:
      'Megabytes reserved on disk, released when the disk is full so work in progress can finish. 0 reserves none.',
  },
  warnBelowMb: {
    name: 'storage.warn_below_mb',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 500,
    description: 'Free megabytes below which a warning is shown.',
  },
  refuseBelowMb: {
    name: 'storage.refuse_below_mb',
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 200,
    description:
      'Free megabytes below which new writes are refused (503 `storage_full`) and webhooks wait until space is freed.',
  },
})
