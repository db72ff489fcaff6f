import { readCsv } from '../../app/api.ts'

/** The report as the service writes it: one line for each person, the first one names the columns. */
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

/** A workbook with a sheet of totals and one of people. Every cell of a person is text: a phone number is no figure. */
export async function toWorkbook(sheets: readonly Sheet[]): Promise<Blob> {
  const { default: writeExcelFile } = await import('write-excel-file/universal')
  return writeExcelFile(
    sheets.map(({ name, rows }) => ({
      // Excel allows no more, and none of these signs.
      sheet: name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31),
      data: rows.map((row, index) =>
        row.map((value) =>
          typeof value === 'number' ? { value, type: Number } : { value, type: String, ...(index === 0 && HEAD) },
        ),
      ),
    })),
  ).toBlob()
}

/** A name that every system takes for a file. */
export const fileNameOf = (name: string, ending: string): string =>
  `${
    name
      .replace(/[^\p{Letter}\p{Number} ._-]+/gu, '')
      .trim()
      .slice(0, 80) || 'campaign'
  }.${ending}`
