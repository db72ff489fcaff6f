import { readFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { show, type Report } from './report.ts'

const PACKAGE = join(import.meta.dirname, '../../../package.json')

/** The results of one program, with the time, the place and the machine of the measurement. */
export function section(program: string, reports: readonly Report[]): string {
  const { dependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { dependencies: Record<string, string> }
  const named = (name: string) => `${name} ${dependencies[name]}`
  const about = [
    new Date().toISOString().slice(0, 16).replace('T', ' ') + ' UTC',
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${platform()} ${release()} ${arch()}`,
    `Node ${process.version}`,
    ...['better-sqlite3', 'undici', 'fastify'].map(named),
  ].join('; ')
  return [`## ${program}`, about, ...reports.map(show)].join('\n\n')
}

/**
 * RESULTS.md in which these sections replace those of the same programs. All other sections stay as they are.
 * @param order all existing programs; sections of other programs are removed.
 */
export function merged(before: string, measured: readonly string[], order: readonly string[]): string {
  const sections = new Map<string, string>()
  for (const one of [...before.split(/^(?=## )/m).slice(1), ...measured]) {
    const [, program = ''] = /^## (.+)$/m.exec(one) ?? []
    sections.set(program, one.trim())
  }
  const kept = order.flatMap((program) => sections.get(program) ?? [])
  const count = (mark: RegExp) => kept.reduce((sum, one) => sum + (one.match(mark)?.length ?? 0), 0)
  const [met, missed] = [count(/^- met: /gm), count(/^- MISSED: /gm)]
  const about = `Written by \`npm run bench\`. ${met} of ${met + missed} goals met.`
  return `${['# Results', about, ...kept].join('\n\n')}\n`
}
