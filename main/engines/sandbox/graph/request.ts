/** A request as the simulator read it. */
export interface GraphRequest {
  readonly method: string
  /** Without the version. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  /** Set in a resumable upload. */
  readonly fileOffset: string | undefined
  readonly body: Buffer
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}
