import { programPath } from './programs.ts'

/** Pages look as they do on a machine with fonts. */
const FONTS = 'fonts-dejavu-core'

/** A Chromium for pages without a window. The headless shell starts with a third of the processor time (measured). */
export const browserPath = (): string =>
  programPath({
    title: 'Chromium',
    names: ['chromium-headless-shell', 'chromium', 'google-chrome'],
    variable: 'CHROMIUM_PATH',
    packages: ['chromium-headless-shell', FONTS],
  })

/** The whole browser that a person has installed, with windows, tabs and a profile. */
export const installedBrowserPath = (): string =>
  programPath({
    title: 'Chromium with its window',
    names: ['chromium', 'google-chrome'],
    variable: 'INSTALLED_CHROMIUM_PATH',
    packages: ['chromium', FONTS],
  })
