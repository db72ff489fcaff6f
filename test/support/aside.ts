import { resolve } from 'node:path'
import { startNode } from '../../main/service/aside-process.ts'
import { asideIn } from '../../main/storage/aside.ts'

/** The product's own program for work on a database beside the service, from its sources. */
export const asideOfTest = asideIn(resolve(import.meta.dirname, '../../main/storage/aside-program.ts'), startNode)
