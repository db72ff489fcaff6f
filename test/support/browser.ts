import { programPath } from './programs.ts'

/** A real Chromium. */
export const browserPath = (): string =>
  programPath({
    title: 'Chromium',
    names: ['chromium', 'chromium-headless-shell', 'google-chrome'],
    variable: 'CHROMIUM_PATH',
    packages: ['chromium', 'fonts-dejavu-core'],
  })
