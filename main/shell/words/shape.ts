import type { Counts } from '../counts.ts'

interface Said {
  readonly title: string
  readonly body: string
}

/** Texts of system menus, notifications and dialogs; the page has its texts in renderer/locales. */
export interface Words {
  readonly open: string
  readonly quit: string
  readonly settings: string
  readonly tray: {
    readonly starting: string
    /** State of the numbers in one line. */
    readonly state: (counts: Counts) => string
    readonly lost: (count: number) => string
  }
  readonly closing: { readonly question: string; readonly detail: string; readonly hide: string; readonly quit: string }
  readonly quitting: {
    readonly question: string
    readonly detail: string
    readonly stay: string
    readonly quit: string
  }
  readonly notStarted: string
  readonly lost: { readonly one: (name: string) => Said; readonly many: (count: number) => Said }
  readonly deliveries: {
    readonly failed: (host: string) => Said
    readonly off: (host: string) => Said
    readonly many: (count: number) => Said
  }
  readonly messages: {
    readonly one: (from: string, instance: string) => Said
    readonly many: (chats: number) => Said
  }
  readonly menu: Readonly<Record<MenuWord, string>>
}

/** Electron has these in English only, in every system language. */
export type MenuWord =
  | 'about'
  | 'hide'
  | 'hideOthers'
  | 'showAll'
  | 'edit'
  | 'undo'
  | 'redo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'selectAll'
  | 'view'
  | 'actualSize'
  | 'zoomIn'
  | 'zoomOut'
  | 'fullScreen'
  | 'window'
  | 'minimize'
  | 'close'
