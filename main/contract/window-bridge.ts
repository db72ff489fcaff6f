/** The few native things the desktop app's preload offers its page; in a browser there are none. All data travels over HTTP. */
export interface WindowBridge {
  readonly platform: string
  readonly version: string
  /** Calls back when the system asks for a place of the page (a deep link, a notification). @returns ends it. */
  onOpenRoute(act: (route: string) => void): () => void
}
