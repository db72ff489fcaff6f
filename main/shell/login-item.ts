import type { App } from 'electron'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** With this flag the window stays in the tray: the person logged in and did not open the app. */
export const HIDDEN = '--hidden'

export interface LoginItem {
  /** null: this build cannot be opened at login. */
  isOn(): boolean | null
  set(on: boolean): void
}

interface LoginItemDeps {
  readonly app: Pick<App, 'isPackaged' | 'getLoginItemSettings' | 'setLoginItemSettings'>
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What runs now: process.execPath. */
  readonly executable: string
}

/** Whether the app opens at login. The system stores this, so it is read each time and never cached. */
export function createLoginItem(deps: LoginItemDeps): LoginItem {
  const { app, platform, environment, executable } = deps
  // In development, the executable is Electron itself, with our files as its argument.
  if (!app.isPackaged) return { isOn: () => null, set() {} }
  // An AppImage runs from a temporary folder; this variable names the file itself.
  if (platform === 'linux') return autostartEntry(autostartFolder(environment), environment['APPIMAGE'] ?? executable)
  const args = platform === 'win32' ? { args: [HIDDEN] } : {}
  return {
    isOn: () => app.getLoginItemSettings(args).openAtLogin,
    set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, ...args }),
  }
}

/** Electron does nothing on Linux, where desktops read entries in the autostart folder. */
function autostartEntry(folder: string, executable: string): LoginItem {
  const file = join(folder, 'switchboard.desktop')
  const command = `Exec=${quoted(executable)} ${HIDDEN}`
  const entry = ['[Desktop Entry]', 'Type=Application', 'Name=Switchboard', command, 'Terminal=false', '']
  return {
    isOn() {
      const lines = linesOf(file)
      const isSwitchedOff = lines.some((line) => /^(Hidden=true|X-GNOME-Autostart-enabled=false)$/i.test(line))
      // An entry for a copy that was moved or replaced starts nothing.
      return lines.includes(command) && !isSwitchedOff
    },
    set(on) {
      if (!on) return rmSync(file, { force: true })
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${file}.new`, entry.join('\n'))
      renameSync(`${file}.new`, file)
    },
  }
}

function autostartFolder({ XDG_CONFIG_HOME: given }: LoginItemDeps['environment']): string {
  // The base directory specification requires that relative paths are ignored.
  return join(given !== undefined && isAbsolute(given) ? given : join(homedir(), '.config'), 'autostart')
}

/** Desktop entry specification, `Exec`: quoted, with the quoting escaped again because the value itself is a string. */
function quoted(path: string): string {
  const inner = path
    .replaceAll('%', '%%')
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
  return `"${inner}"`
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}
