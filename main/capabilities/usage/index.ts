export { usageReport } from './report.ts'
export { createUsage, type Usage, type UsageDeps } from './usage.ts'
