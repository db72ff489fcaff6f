import { app } from 'electron'
import { createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import type { UpdateChannel } from './updates.ts'

/** electron-updater identifies every copy to the server by a random id; all our copies send the same one. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/**
 * The update channel of this copy, with electron-updater. null if none is configured: a copy that is not packaged, a
 * release without a feed (`publish` in resources/electron-builder.yml), or a missing key.
 * @param publicKey Ed25519, PEM; null: there is none yet.
 */
export function updateChannel(publicKey: string | null): UpdateChannel | null {
  const feed = join(process.resourcesPath, 'app-update.yml')
  if (publicKey === null || !app.isPackaged || !existsSync(feed)) return null
  let loading: Promise<AppUpdater> | undefined
  const updater = () => (loading ??= load())
  let loaded: AppUpdater | undefined

  async function load(): Promise<AppUpdater> {
    const { default: library } = await import('electron-updater')
    loaded = library.autoUpdater
    // The person decides, and downgrades are off. Setting a channel by name would allow them.
    loaded.autoDownload = false
    loaded.autoInstallOnAppQuit = false
    loaded.allowDowngrade = false
    loaded.disableWebInstaller = true
    loaded.requestHeaders = { 'x-user-staging-id': NOBODY }
    loaded.logger = null
    return loaded
  }

  return {
    key: createPublicKey(publicKey),
    async latest() {
      const found = await (await updater()).checkForUpdates()
      return { metadata: found?.updateInfo, isForUs: found?.isUpdateAvailable ?? false }
    },
    async fetch(onPercent) {
      const source = await updater()
      const listener = ({ percent }: { percent: number }) => onPercent(percent)
      source.on('download-progress', listener)
      try {
        const [file] = await source.downloadUpdate()
        if (file === undefined) throw new Error('nothing was fetched')
        return file
      } finally {
        source.off('download-progress', listener)
      }
    },
    install(onFailure) {
      // The new copy may start before this one has exited.
      app.releaseSingleInstanceLock()
      loaded?.once('error', onFailure)
      loaded?.quitAndInstall()
    },
  }
}
