/** Numbers of one kind with their labels. Units are part of the name, as Prometheus recommends. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

interface Sample {
  /** `_bucket`, `_sum` or `_count` of a histogram; else nothing. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** How long things took, in buckets. Noting one costs a few additions. */
export interface Durations {
  observe(ms: number): void
  /** Cumulative buckets, sum and count, in seconds. */
  samples(labels: Readonly<Record<string, string>>): Sample[]
}

/** Upper bounds in milliseconds: from an answer out of memory to one that waited for an engine as long as it may. */
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000] as const

export function createDurations(): Durations {
  const buckets = new Array<number>(BOUNDS_MS.length).fill(0)
  let count = 0
  let sumMs = 0
  return {
    observe(ms) {
      count++
      sumMs += ms
      const i = BOUNDS_MS.findIndex((bound) => ms <= bound)
      if (i >= 0) buckets[i] = (buckets[i] ?? 0) + 1
    },
    samples(labels) {
      let below = 0
      const bounded = BOUNDS_MS.map((bound, i): Sample => {
        below += buckets[i] ?? 0
        return { suffix: '_bucket', labels: { ...labels, le: String(bound / 1_000) }, value: below }
      })
      return [
        ...bounded,
        { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
        { suffix: '_sum', labels, value: sumMs / 1_000 },
        { suffix: '_count', labels, value: count },
      ]
    },
  }
}

export const gauge = (name: string, help: string, value: number): Family => {
  return { name, help, type: 'gauge', samples: [{ value }] }
}

/** Content type of `exposition`. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Prometheus' text format. */
export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join('')
}

function familyText({ name, help, type, samples }: Family): string {
  const head = `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n`
  return (
    head + samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${labelText(labels)} ${value}\n`).join('')
  )
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const parts = Object.entries(labels).map(([key, value]) => `${key}="${escape(value).replaceAll('"', '\\"')}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

const escape = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
