import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createLoginItem } from '../../main/shell/login-item.ts'
import { tempFolder } from '../support/database.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

const app = (openAtLogin = false, isPackaged = true) => ({
  isPackaged,
  getLoginItemSettings: vi.fn(() => ({ openAtLogin }) as Electron.LoginItemSettings),
  setLoginItemSettings: vi.fn(),
})

describe('on Linux', () => {
  function scene(executable: string, more: Record<string, string> = {}) {
    const folder = tempFolder()
    folders.push(folder)
    const environment = { XDG_CONFIG_HOME: folder, ...more }
    const item = createLoginItem({ app: app(), platform: 'linux', environment, executable })
    return { item, file: join(folder, 'autostart/switchboard.desktop') }
  }

  test('writes, reads and removes an entry in the autostart folder', () => {
    const { item, file } = scene('/opt/Switchboard/switchboard')
    expect(item.isOn()).toBe(false)
    item.set(true)
    expect(readFileSync(file, 'utf8')).toBe(
      '[Desktop Entry]\nType=Application\nName=Switchboard\nExec="/opt/Switchboard/switchboard" --hidden\nTerminal=false\n',
    )
    expect(item.isOn()).toBe(true)
    item.set(false)
    item.set(false)
    expect(item.isOn()).toBe(false)
  })

  test.each([
    ['/home/a b/x', '"/home/a b/x"'],
    ['/opt/50%/x', '"/opt/50%%/x"'],
    ['/opt/$HOME/`id`/x', '"/opt/\\\\$HOME/\\\\`id\\\\`/x"'],
    ['/opt/"q"\\/x', '"/opt/\\\\"q\\\\"\\\\\\\\/x"'],
  ])('escapes the path %s in the entry', (executable, written) => {
    const { item, file } = scene(executable)
    item.set(true)
    expect(readFileSync(file, 'utf8')).toContain(`\nExec=${written} --hidden\n`)
    expect(item.isOn()).toBe(true)
  })

  test('names the AppImage, not the folder it runs from', () => {
    const { item, file } = scene('/tmp/.mount_abc/switchboard', { APPIMAGE: '/home/ada/Switchboard.AppImage' })
    item.set(true)
    expect(readFileSync(file, 'utf8')).toContain('Exec="/home/ada/Switchboard.AppImage" --hidden')
  })

  test.each(['Hidden=true', 'X-GNOME-Autostart-enabled=false'])(
    'is off if another program switched it off by %s',
    (line) => {
      const { item, file } = scene('/opt/x')
      item.set(true)
      writeFileSync(file, `${readFileSync(file, 'utf8')}${line}\n`)
      expect(item.isOn()).toBe(false)
    },
  )

  test('ignores an entry that starts another copy', () => {
    const { item, file } = scene('/opt/x')
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, '[Desktop Entry]\nExec="/opt/old" --hidden\n')
    expect(item.isOn()).toBe(false)
  })
})

describe('on systems with their own list', () => {
  const item = (platform: NodeJS.Platform, one: ReturnType<typeof app>) =>
    createLoginItem({ app: one, platform, environment: {}, executable: '/x' })

  test('starts into the tray on Windows and reads the setting with the same arguments', () => {
    const one = app(true)
    item('win32', one).set(true)
    expect(one.setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: true, args: ['--hidden'] })
    expect(item('win32', one).isOn()).toBe(true)
    expect(one.getLoginItemSettings).toHaveBeenCalledWith({ args: ['--hidden'] })
  })

  test('uses no arguments on macOS, which passes none', () => {
    const one = app(true)
    item('darwin', one).set(false)
    expect(one.setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: false })
  })

  test('is unavailable for a copy that is not installed', () => {
    const one = app(true, false)
    const it = item('win32', one)
    it.set(true)
    expect(it.isOn()).toBeNull()
    expect(one.setLoginItemSettings).not.toHaveBeenCalled()
  })
})
