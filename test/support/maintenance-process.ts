import { resolve } from 'node:path'
import { startNode } from '../../main/service/maintenance.ts'
import { createMaintenanceProcess } from '../../main/storage/maintenance-process.ts'

/** The product's own program for work on a database beside the service, from its sources. */
export const testMaintenanceProcess = createMaintenanceProcess(
  resolve(import.meta.dirname, '../../main/storage/maintenance-program.ts'),
  startNode,
)
