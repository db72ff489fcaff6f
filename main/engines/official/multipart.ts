interface Field {
  readonly name: string
  readonly value: string | Buffer
  /** Set for files only. */
  readonly filename?: string
  readonly type?: string
}

/** A form with a file, as bytes. Names and types are constants of this code, or checked types. */
export function multipart(boundary: string, fields: readonly Field[]): { type: string; bytes: Buffer } {
  const parts = fields.flatMap(({ name, value, filename, type }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const kind = type === undefined ? '' : `\r\nContent-Type: ${type}`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}${kind}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
