import { readCsv } from '../../app/api.ts'

/** The service's CSV report: one line per person, with column names first. */
export const readReportCsv = (campaignId: string): Promise<Blob> =>
  readCsv('getCampaignReport', { params: { id: campaignId } })

/** @returns rows of cells, the header first. */
export async function readReportRows(campaignId: string): Promise<readonly (readonly string[])[]> {
  const { default: papaparse } = await import('papaparse')
  return papaparse.parse<string[]>(await (await readReportCsv(campaignId)).text(), { skipEmptyLines: true }).data
}

interface Sheet {
  readonly name: string
  readonly rows: readonly (readonly (string | number)[])[]
}

const HEAD = { fontWeight: 'bold' } as const

/**
 * A workbook with a sheet of totals and one of people. All cells of people are text, because phone numbers must not
 * be formatted as figures.
 */
export async function toWorkbook(sheets: readonly Sheet[]): Promise<Blob> {
  const { default: writeExcelFile } = await import('write-excel-file/universal')
  return writeExcelFile(
    sheets.map(({ name, rows }) => ({
      // Excel's limit of length, and its forbidden characters.
      sheet: name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31),
      data: rows.map((row, index) =>
        row.map((value) =>
          typeof value === 'number' ? { value, type: Number } : { value, type: String, ...(index === 0 && HEAD) },
        ),
      ),
    })),
  ).toBlob()
}

/** A file name that is valid on every system. */
export const fileNameOf = (name: string, ending: string): string =>
  `${
    name
      .replace(/[^\p{Letter}\p{Number} ._-]+/gu, '')
      .trim()
      .slice(0, 80) || 'campaign'
  }.${ending}`
